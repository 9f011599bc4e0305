// SPDX-License-Identifier: Apache-2.0

import API
import Platform
package import Session

/// The address of a broker: `mqtt://[user[:password]@]host[:port][,host[:port]…]`, or `mqtts://` for TLS.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    package var isEncrypted: Bool
    /// The names and addresses of the broker, in the order in which they are tried. The port of the first is 1883 by
    /// default, or 8883 with TLS; the default of the others is the port of the first.
    package var endpoints: [Endpoint]
    package var user: String?
    /// The password, if the address has one. Never part of ``description``.
    package var password: String?

    /// Parses an address.
    /// - Throws: ``ValueError`` with what is wrong and what is valid.
    package init(_ text: String) throws(ValueError) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[1].hasPrefix("//") else {
            throw ValueError("an address looks like mqtt://host:1883 or mqtts://host:8883")
        }
        switch halves[0] {
        case "mqtt": isEncrypted = false
        case "mqtts": isEncrypted = true
        default: throw ValueError("an address begins with mqtt:// or mqtts://")
        }
        var rest = halves[1].dropFirst(2)
        if rest.last == "/" { rest = rest.dropLast() }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try Self.decoded(parts[0])
            if parts.count == 2 { password = try Self.decoded(parts[1]) }
            rest = rest[rest.index(after: at)...]
        }
        endpoints = []
        for text in rest.split(separator: ",", omittingEmptySubsequences: false) {
            endpoints.append(try Endpoint(text, port: endpoints.first?.port ?? (isEncrypted ? 8_883 : 1_883)))
        }
    }

    package init(isEncrypted: Bool, endpoints: [Endpoint], user: String? = nil, password: String? = nil) {
        self.isEncrypted = isEncrypted
        self.endpoints = endpoints
        self.user = user
        self.password = password
    }

    package var host: String { endpoints[0].host }
    package var port: Int { endpoints[0].port }

    /// The address without user and password.
    package var description: String { text(withUser: false).description }

    /// Returns the address without a password, as a setting holds it.
    package func text(withUser: Bool) -> LineText {
        let user: LineText = withUser ? user.map { "\(LineText(showing: $0.percentEncoded))@" } ?? "" : ""
        let endpoints = LineText(showing: endpoints.map(\.description).joined(separator: ","))
        return isEncrypted ? "mqtts://\(user)\(endpoints)" : "mqtt://\(user)\(endpoints)"
    }

    private static func decoded(_ text: Substring) throws(ValueError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
                throw ValueError("“%” in user or password is written %25")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
