// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Settings

/// `lockstep kiosk link`: prints the link to the page of a node.
struct KioskLinkCommand: AsyncParsableCommand {
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

    @OptionGroup var shown: PageOptions

    @Flag(help: "Print the link for a browser of this machine, on 127.0.0.1.")
    var local = false

    @Option(
        help: """
            The name or address of this machine as the browser reaches it, or a whole origin such as that of a proxy, \
            https://pi.example.org (default: its host name with .local).
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
            guard let page = local ? report.pageHere : report.pageForOthers else {
                throw UsageError(KioskReport.noPage)
            }
            try report.check(host, of: page)
            let link = link(to: page, report)
            if output.json { return print(CommandOutput.json(["link": link])) }
            print(link)
            if qr, let code = QRCode(link) { print(code.text) }
        }
    }

    private func link(to page: KioskReport.Page, _ report: KioskReport) -> String {
        let origin = report.origin(of: page, host: host, local: local)
        var query: [String: String] = [:]
        if calendar {
            query["key"] = report.calendarKey
            return KioskReport.link(to: origin, path: "calendar.ics", query: query)
        }
        for (name, value) in shown.parameters { query[name] = value }
        if !controls { query["controls"] = "0" }
        // A link with a given host, such as a proxy, may be opened on any machine.
        let isForOthers = host != nil || !page.isLoopback && !(local && HostText.isAny(page.host))
        if isForOthers || report.needsLocalKey { query["key"] = controls ? report.controlKey : report.viewKey }
        return KioskReport.link(to: origin, query: query)
    }
}
