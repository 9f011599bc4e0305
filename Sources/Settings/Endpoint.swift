// SPDX-License-Identifier: Apache-2.0

import API
import Platform
package import Session

/// A host and a port, of a broker or of a node's pages.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, as ``HostText`` says; an address of IPv6 may have a zone.
    package let host: String
    /// One of ``ports``.
    package let port: Int

    /// The valid ports.
    package static let ports = 1...65_535

    /// - Parameter hint: The remedy for a text that is no host, for the error.
    /// - Throws: ``ValueError`` for a text that is not a host, and for an invalid port.
    package init(host: String, port: Int, hint: String = usualHint) throws(ValueError) {
        guard Self.isHost(host) else { throw ValueError("“\(LineText(showing: host))” is no host; \(hint)") }
        guard Self.ports.contains(port) else { throw ValueError("“\(port)” is not a port; a port is 1 to 65535") }
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
