// SPDX-License-Identifier: Apache-2.0

import API
import Platform
package import Session

/// The address of a broker: `mqtt://[user[:password]@]host[:port][,host[:port]…]`, or `mqtts://` for TLS.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The host and the port of a broker.
    package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
        /// A name or an address, as ``HostText`` says; an address of IPv6 may have a zone.
        package let host: String
        /// 1 to 65535.
        package let port: Int

        /// - Parameter hint: The remedy for a text that is no host, for the error.
        /// - Throws: ``ValueError`` for a text that is not a host, and for a port outside of 1 to 65535.
        package init(host: String, port: Int, hint: String = usualHint) throws(ValueError) {
            guard Self.isHost(host) else { throw ValueError("“\(LineText(showing: host))” is no host; \(hint)") }
            guard (1...65_535).contains(port) else { throw ValueError("“\(port)” is not a port; a port is 1 to 65535") }
            self.host = host
            self.port = port
        }

        package static let usualHint = "an address of IPv6 stands in brackets, as [::1]"

        /// Whether a text is a host. A link-local address may have a zone, as `fe80::1%eth0`.
        private static func isHost(_ text: String) -> Bool {
            let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard HostText.accepts(parts[0]) else { return false }
            return parts.count == 1 || text.contains(":") && HostText.accepts(parts[1]) && !parts[1].contains(":")
        }

        /// `host:port`, with brackets around an address of IPv6.
        package var description: String { line.description }

        /// The ``description`` as a line. A valid host and port have no character that a line cannot hold.
        package var line: LineText { "\(LineText(showing: host.urlHost)):\(port)" }

        /// Parses `host[:port]`; `usual` is the port of a text without one.
        init(_ text: Substring, port usual: Int, hint: String = usualHint) throws(ValueError) {
            let (host, portText): (Substring, Substring?)
            if text.first == "[", let end = text.firstIndex(of: "]") {
                host = text[text.index(after: text.startIndex)..<end]
                let rest = text[text.index(after: end)...]
                guard rest.isEmpty || rest.first == ":" else {
                    throw ValueError("“\(LineText(showing: String(rest)))” does not belong there")
                }
                portText = rest.isEmpty ? nil : rest.dropFirst()
            } else {
                let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                host = parts[0]
                portText = parts.count == 2 ? parts[1] : nil
            }
            let port = portText.map { Int($0) } ?? usual
            guard let port else {
                throw ValueError(
                    "“\(LineText(showing: String(portText ?? "")))” is not a port; a port is 1 to 65535")
            }
            try self.init(host: String(host), port: port, hint: hint)
        }
    }

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
