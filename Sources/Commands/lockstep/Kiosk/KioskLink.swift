// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Settings

struct KioskLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print the link that opens this node's page in a browser.",
        discussion: """
            The node serves the page only with --http or --https: 127.0.0.1:7780 for this machine, 0.0.0.0:7780 for other \
            machines too. For those the link contains a key, which the browser stores; everyone who has the link can open the \
            page; a phone gets its own key by lockstep phone add. To revoke all links, delete http-keys in the state directory and restart the node.
            With LOCKSTEP_HTTP_LOCAL_KEY=on, browsers of this machine and proxies need the key, too.
            """
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Allow the page to press, start and take; without it, the page is read-only.")
    var controls = false

    @Option(help: "The face: \(Face.names).")
    var face: Face?

    @Option(help: "The language (default: that of the browser): \(Catalogue.languages.joined(separator: ", ")).")
    var lang: String?

    @Option(help: "dark, light or e-ink.")
    var theme: Theme?

    @Option(help: "The hours in which the page is black without a session, as 23:00-07:00.")
    var blank: BlankHours?

    @Option(help: .idle)
    var idle: Idle?

    @Option(help: .near)
    var near: EndWarning?

    @Flag(help: "Print the link for a browser of this machine, on 127.0.0.1.")
    var local = false

    @Option(
        help: """
            The name or address of this machine as the browser reaches it, or a whole origin such as that of a proxy, \
            https://pi.example.org (default: its host name).
            """, transform: PageHost.init)
    var host: PageHost?

    @Flag(help: "Print the link of the calendar, for calendar programs: it opens nothing else.")
    var calendar = false

    @Flag(help: "Print the link as a QR code, too.")
    var qr = false

    func validate() throws {
        if local, host != nil { throw ValidationError("--local and --host exclude each other") }
    }

    func run() async throws {
        try await socket.withNode { client in
            let report = try await client.kiosk()
            guard let link = link(report) else { throw UsageError(KioskReport.noPage) }
            try report.check(host)
            if output.json { return print(CommandOutput.json(["link": link])) }
            print(link)
            if qr, let code = QRCode(link) { print(code.text) }
        }
    }

    private func link(_ report: KioskReport) -> String? {
        guard let page = local ? report.pageHere : report.pageForOthers else { return nil }
        let origin = report.origin(of: page, host: host, local: local)
        var query: [String: String] = [:]
        if calendar {
            query["key"] = report.calendarKey
            return KioskReport.link(to: origin, path: "calendar.ics", query: query)
        }
        query["face"] = face?.rawValue
        query["lang"] = lang
        query["theme"] = theme?.rawValue
        query["blank"] = blank?.description
        query["idle"] = idle?.rawValue
        query["near"] = near?.description
        if !controls { query["controls"] = "0" }
        // A link with a given host, such as a proxy, may be opened on any machine.
        let isForOthers = host != nil || !page.isLoopback && !(local && page.isForAnyAddress)
        if isForOthers || report.needsLocalKey { query["key"] = controls ? report.controlKey : report.viewKey }
        return KioskReport.link(to: origin, query: query)
    }
}

extension KioskReport {
    static let noPage = "this node serves no page; start it with --http 127.0.0.1:7780"

    /// Checks that the node answers to a host that a person names. For an origin, it only warns: a proxy there can ask
    /// the node for another host.
    func check(_ host: PageHost?) throws {
        guard let host, !host.isAddress, !names.contains(host.name) else { return }
        let problem =
            "the node does not answer to \(host.name): add it to LOCKSTEP_HTTP_HOSTS in the node's settings, then restart the node"
        guard host.origin != nil else { throw UsageError(problem) }
        CommandLineRunner.say("lockstep: unless the proxy asks for another host, \(problem)")
    }

    /// Returns the origin of a page as a browser reaches it.
    func origin(of page: Page, host: PageHost?, local: Bool = false) -> String {
        if let origin = host?.origin { return origin }
        if let host { return page.origin(at: host.host) }
        let own = local ? (page.host == "::" ? "::1" : "127.0.0.1") : "\(machine).local"
        return page.origin(at: page.isForAnyAddress ? own : page.host)
    }
}

/// The host or origin at which browsers reach the page, as a person types it.
struct PageHost {
    /// A whole origin, such as that of a proxy; `nil` where only a host is named.
    let origin: String?
    /// The name or the address.
    let host: String

    init(_ given: String) throws {
        // An address of IPv6 may stand in brackets, as in a URL.
        let isBracketed = given.first == "[" && given.last == "]" && given.contains(":")
        let text = isBracketed ? String(given.dropFirst().dropLast()) : given
        let origin = text.last == "/" ? String(text.dropLast()) : text
        let scheme = ["https://", "http://"].first { origin.hasPrefix($0) }
        if let scheme, let address = try? HTTPAddress(String(origin.dropFirst(scheme.count))) {
            (self.origin, host) = (origin, address.host)
        } else if HostText.accepts(text) {
            (self.origin, host) = (nil, text)
        } else {
            throw ValidationError(
                "“\(text)” is no host; write a name or an address without port, or an origin as https://pi.example.org")
        }
    }

    var name: String { host.lowercased() }
    /// Whether the host is an address and not a name; every node answers to addresses.
    var isAddress: Bool { name.contains(":") || name.allSatisfy { $0.isNumber || $0 == "." } }
}

extension Theme: ExpressibleByArgument {}
