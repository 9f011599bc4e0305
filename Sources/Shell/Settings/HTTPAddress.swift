// SPDX-License-Identifier: Apache-2.0

/// Where the kiosk page is served: `127.0.0.1:7780`, `[::]:7780`, or the port alone for loopback.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The port that is meant where none is given.
    public static let usualPort = 7_780

    /// A name or an address of this machine.
    public var host: String
    /// 1 to 65535.
    public var port: Int

    /// Reads an address.
    /// - Throws: ``BadValue`` with what is wrong and what would be right.
    public init(_ text: String) throws(BadValue) {
        var portText: Substring?
        if text.first == "[", let end = text.firstIndex(of: "]") {
            host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { throw BadValue("“\(rest)” does not belong there") }
            portText = rest.isEmpty ? nil : rest.dropFirst()
        } else if text.allSatisfy(\.isNumber) {
            host = "127.0.0.1"
            portText = text[...]
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { throw BadValue("an IPv6 address stands in brackets: [::1]:7780") }
            host = String(parts.first ?? "")
            portText = parts.count == 2 ? parts[1] : nil
        }
        guard !host.isEmpty, !host.contains(where: { "/ @".contains($0) }) else {
            throw BadValue("an address looks like 127.0.0.1:7780, or 0.0.0.0:7780 for all of this machine's")
        }
        port = Self.usualPort
        if let portText {
            guard let number = Int(portText), (1...65_535).contains(number) else {
                throw BadValue("“\(portText)” is no port; a port is 1 to 65535")
            }
            port = number
        }
    }

    /// Whether only programs of this machine can get there.
    public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// `host:port`.
    public var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
