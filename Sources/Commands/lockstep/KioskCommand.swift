// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Display
import Web
import Wire

/// `lockstep kiosk`: the address of the page, with its key.
struct KioskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kiosk",
        abstract: "Prints the link that opens this node's page in a browser.",
        discussion: """
            The node has to be told where to serve it: --http 127.0.0.1:7780 for this machine, --http 0.0.0.0:7780 for \
            others too. For those the link holds a key, which a browser keeps once it has opened it; whoever has the \
            link can do the same. Delete http-keys in the state directory and start the node anew to take all links back.
            With LOCKSTEP_HTTP_LOCAL_KEY=on this machine needs a key, too, and so does whoever comes through a proxy.
            """
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "The link of a page with buttons, which may press, start and take; without, it may only look.")
    var controls = false

    @Option(help: "The face: \(Face.allCases.map(\.rawValue).joined(separator: ", ")).")
    var face: Face?

    @Option(help: "The language, where it is not to be the browser's: \(Catalogue.languages.joined(separator: ", ")).")
    var lang: String?

    @Option(help: "dark, light or e-ink.")
    var theme: Theme?

    @Option(help: "The name or address of this machine as the browser reaches it (default: its host name).")
    var host: String?

    @Flag(help: "Print it as a QR code, too.")
    var qr = false

    enum Theme: String, CaseIterable, ExpressibleByArgument {
        case dark, light
        case eInk = "e-ink"
    }

    func run() async throws {
        guard let client = socket.localNode else {
            throw Access.unreachable("no node listens on \(socket.wantedSockets.joined(separator: " or "))")
        }
        try await Access.orUnreachable {
            let report = try await client.kiosk()
            guard let link = link(report) else {
                throw UsageError("this node serves no page; start it with --http 127.0.0.1:7780")
            }
            if output.json { return print(Report.json(["link": link])) }
            print(link)
            if qr, let code = QRCode(link) { print(code.text) }
        }
    }

    private func link(_ report: KioskReport) -> String? {
        guard let address = report.host, let port = report.port else { return nil }
        var query: [String: String] = [:]
        query["face"] = face?.rawValue
        query["lang"] = lang
        query["theme"] = theme?.rawValue
        if !controls { query["controls"] = "0" }
        // By a name that was given, as a proxy's, whoever opens the link may be anywhere.
        let needsKey = !report.isLoopback || report.needsLocalKey == true || host != nil
        if needsKey { query["key"] = controls ? report.controlKey : report.viewKey }
        let isAny = address == "0.0.0.0" || address == "::"
        let name = host ?? (isAny ? "\(report.machine).local" : address)
        return KioskReport.link(to: "\(name.contains(":") ? "[\(name)]" : name):\(port)", query: query)
    }
}
