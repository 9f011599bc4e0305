// SPDX-License-Identifier: Apache-2.0

/// Where the broker is: `mqtt://[user[:password]@]host[:port]`, or `mqtts://` for TLS.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Whether the connection is encrypted.
    public var isEncrypted: Bool
    /// Host name or address.
    public var host: String
    /// 1 to 65535; 1883 and 8883 (TLS) by default.
    public var port: Int
    /// The user, where the address names one.
    public var user: String?
    /// The password, where the address holds one. Never part of ``description``.
    public var password: String?

    /// Reads an address.
    /// - Throws: ``BadValue`` with what is wrong and what would be right.
    public init(_ text: String) throws(BadValue) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[1].hasPrefix("//") else {
            throw BadValue("an address looks like mqtt://host:1883 or mqtts://host:8883")
        }
        switch halves[0] {
        case "mqtt": isEncrypted = false
        case "mqtts": isEncrypted = true
        default: throw BadValue("an address begins with mqtt:// or mqtts://")
        }
        var rest = halves[1].dropFirst(2)
        if rest.last == "/" { rest = rest.dropLast() }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try Self.decoded(parts[0])
            if parts.count == 2 { password = try Self.decoded(parts[1]) }
            rest = rest[rest.index(after: at)...]
        }
        let portText: Substring?
        if rest.first == "[", let end = rest.firstIndex(of: "]") {
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            portText = rest[rest.index(after: end)...].first == ":" ? rest[rest.index(end, offsetBy: 2)...] : nil
        } else {
            let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            host = String(parts.first ?? "")
            portText = parts.count == 2 ? parts[1] : nil
        }
        guard !host.isEmpty, !host.contains(where: { $0 == "/" || $0 == " " }) else {
            throw BadValue("the address names no host")
        }
        port = isEncrypted ? 8_883 : 1_883
        if let portText {
            guard let number = Int(portText), (1...65_535).contains(number) else {
                throw BadValue("“\(portText)” is no port; a port is 1 to 65535")
            }
            port = number
        }
    }

    /// The address without user and password.
    public var description: String {
        "\(isEncrypted ? "mqtts" : "mqtt")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    private static func decoded(_ text: Substring) throws(BadValue) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
                throw BadValue("“%” in user or password is written %25")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A value that cannot be used: what is wrong with it and what would be right.
public struct BadValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public var description: String

    init(_ description: String) { self.description = description }
}
