// SPDX-License-Identifier: Apache-2.0

/// The address of a broker: `mqtt://[user[:password]@]host[:port]`, or `mqtts://` for TLS. Further `host[:port]` of the same
/// broker follow after commas.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host and a port.
    package struct Place: Hashable, Sendable, CustomStringConvertible {
        package var host: String
        /// 1 to 65535.
        package var port: Int

        package init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// `host:port`, with brackets around an address of IPv6.
        package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

        init(_ text: Substring, port usual: Int) throws(BadValue) {
            let portText: Substring?
            if text.first == "[", let end = text.firstIndex(of: "]") {
                host = String(text[text.index(after: text.startIndex)..<end])
                let rest = text[text.index(after: end)...]
                guard rest.isEmpty || rest.first == ":" else { throw BadValue("“\(rest)” does not belong there") }
                portText = rest.isEmpty ? nil : rest.dropFirst()
            } else {
                let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                host = String(parts.first ?? "")
                portText = parts.count == 2 ? parts[1] : nil
            }
            guard !host.isEmpty, !host.contains(where: { "/ @".contains($0) }) else {
                throw BadValue("the address names no host; an address of IPv6 stands in brackets, as [::1]:\(usual)")
            }
            port = usual
            if let portText {
                guard let number = Int(portText), (1...65_535).contains(number) else {
                    throw BadValue("“\(portText)” is not a port; a port is 1 to 65535")
                }
                port = number
            }
        }
    }

    /// Whether the connection is encrypted.
    package var isEncrypted: Bool
    /// The names and addresses of the broker, in the order in which they are tried. The port is 1883 by default, 8883 with
    /// TLS, and that of the first place for the others.
    package var places: [Place]
    /// The user, if the address has one.
    package var user: String?
    /// The password, if the address has one. Never part of ``description``.
    package var password: String?

    /// Parses an address.
    /// - Throws: ``BadValue`` with what is wrong and what is valid.
    package init(_ text: String) throws(BadValue) {
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
        places = []
        for text in rest.split(separator: ",", omittingEmptySubsequences: false) {
            places.append(try Place(text, port: places.first?.port ?? (isEncrypted ? 8_883 : 1_883)))
        }
    }

    package init(isEncrypted: Bool, places: [Place], user: String? = nil, password: String? = nil) {
        self.isEncrypted = isEncrypted
        self.places = places
        self.user = user
        self.password = password
    }

    /// The first host.
    package var host: String { places[0].host }
    /// The port of the first host.
    package var port: Int { places[0].port }

    /// The address without user and password.
    package var description: String {
        "\(isEncrypted ? "mqtts" : "mqtt")://\(places.map(\.description).joined(separator: ","))"
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

/// An invalid value: the message says what is wrong and what is valid.
package struct BadValue: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
