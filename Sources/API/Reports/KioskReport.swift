// SPDX-License-Identifier: Apache-2.0

import Session
package import Wire

/// The addresses of a node's pages, and the keys that open them. The server is configured with it, and reports it only
/// to the user who runs the node.
package struct KioskReport: Hashable, Sendable, Described {
    package var host: String?
    package var port: Int?
    /// Whether only this machine can reach the address of HTTP, and no key is needed there.
    package var isLoopback: Bool
    package var https: HTTPSReport?
    package var machine: String
    /// The host names that the node answers to, besides its addresses.
    package var names: [String]
    package var viewKey: String?
    package var controlKey: String?
    package var calendarKey: String?
    /// Whether programs and browsers of this machine need a key, too.
    package var needsLocalKey: Bool
    /// Whether the page is shown on this machine's own screen.
    package var isShown = false

    /// Describes a page, or that there is none.
    package init(
        host: String? = nil, port: Int? = nil, isLoopback: Bool = true, https: HTTPSReport? = nil, machine: String,
        names: [String] = [], viewKey: String? = nil, controlKey: String? = nil, calendarKey: String? = nil,
        needsLocalKey: Bool = false
    ) {
        self.isLoopback = isLoopback
        self.machine = machine
        self.names = names
        self.host = host
        self.port = port
        self.https = https
        self.viewKey = viewKey
        self.controlKey = controlKey
        self.calendarKey = calendarKey
        self.needsLocalKey = needsLocalKey
    }

    package static let blank = KioskReport(machine: "")

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("host", nullable: &host, .string, "The address of HTTP.")
        try coder.field("port", nullable: &port, .whole(), "The port of HTTP.")
        try coder.field("isLoopback", &isLoopback, .bool)
        try coder.field("https", nullable: &https, .object(), "The address of HTTPS.")
        try coder.field("machine", &machine, .string)
        try coder.field("names", &names, .list(of: .string, 0...1_000))
        try coder.field("viewKey", nullable: &viewKey, .string, "The key that allows to look.")
        try coder.field("controlKey", nullable: &controlKey, .string, "The key that also allows to press.")
        try coder.field("calendarKey", nullable: &calendarKey, .string, "The key that allows to read the calendar.")
        try coder.field("needsLocalKey", &needsLocalKey, .bool)
        try coder.field("isShown", &isShown, .bool)
    }

    /// Returns the link of the page at an origin such as `http://pi.local:7780`.
    package static func link(to origin: String, path: String = "", query: [String: String]) -> String {
        let parameters = query.sorted { $0.key < $1.key }.map { "\($0.key.percentEncoded)=\($0.value.percentEncoded)" }
        return "\(origin)/\(path)" + (parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&"))
    }
}

/// The address of a node's page over HTTPS.
package struct HTTPSReport: Hashable, Sendable, Described {
    package var host: String
    package var port: Int
    package var isLoopback: Bool
    /// The SHA-256 of the node's own authority, which phones must install; `nil` if it has not signed the certificate.
    package var authority: String?

    package init(host: String, port: Int, isLoopback: Bool, authority: String?) {
        self.host = host
        self.port = port
        self.isLoopback = isLoopback
        self.authority = authority
    }

    package static let blank = HTTPSReport(host: "", port: 0, isLoopback: true, authority: nil)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("host", &host, .string)
        try coder.field("port", &port, .whole())
        try coder.field("isLoopback", &isLoopback, .bool)
        try coder.field("authority", nullable: &authority, .string, "The SHA-256 of the node's own authority.")
    }
}

extension KioskReport {
    /// An address at which the node serves its page.
    package struct Page: Hashable, Sendable {
        /// `http` or `https`.
        package var scheme: String
        package var host: String
        package var port: Int
        package var isLoopback: Bool

        package func origin(at host: String) -> String { "\(scheme)://\(host.urlHost):\(port)" }
    }

    private var plain: Page? {
        guard let host, let port else { return nil }
        return Page(scheme: "http", host: host, port: port, isLoopback: isLoopback)
    }

    private var secure: Page? {
        https.map { Page(scheme: "https", host: $0.host, port: $0.port, isLoopback: $0.isLoopback) }
    }

    /// The page for browsers of other machines: over HTTPS if they can reach it. `nil` if the node serves no page.
    package var pageForOthers: Page? {
        let pages = [secure, plain].compactMap(\.self)
        return pages.first { !$0.isLoopback } ?? pages.last
    }

    /// The page for browsers of this machine, which need no TLS. `nil` if the node serves no page.
    package var pageHere: Page? { plain ?? secure }
}

extension String {
    /// A host as it stands in a URL: an address of IPv6 is in brackets.
    package var urlHost: String { contains(":") ? "[\(self)]" : self }

    /// The text with every byte but letters, digits and `-._~` escaped for a URL.
    package var percentEncoded: String {
        utf8.map { byte in
            byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)
                ? String(Unicode.Scalar(byte)) : "%" + byte.padded(to: 2, radix: 16).uppercased()
        }.joined()
    }
}
