// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Glibc
import Session
import Settings

/// `lockstep phone`: the phones that may open the page of a node.
struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        abstract: "Pair a phone with this node's page, list the paired phones, or shut one out.",
        subcommands: [PhoneAddCommand.self, PhoneListCommand.self, PhoneRemoveCommand.self]
    )
}

/// `lockstep phone add`: pairs a phone.
struct PhoneAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Print a QR code and a link with which one phone gets a key of its own.",
        discussion: """
            The link works once, until the time that is printed with it, and ends when the node restarts. The first person \
            who opens it has the access: if it was used before you opened it, remove that phone. The node must serve its \
            page to other machines, as with --https 0.0.0.0:7743.
            """
    )

    @Argument(help: "The name of the phone, as in “kitchen phone”.")
    var name: String

    @Flag(help: "The phone may only look; without it, it may press, start and take, too.")
    var look = false

    @Option(
        help: """
            The name or address of this machine as the phone reaches it, or a whole origin such as that of a proxy, \
            https://pi.example.org (default: its host name with .local).
            """, transform: PageHost.init)
    var host: PageHost?
    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await socket.withNode { client in
            let report = try await client.kiosk()
            guard let page = report.pageForOthers else { throw UsageError(KioskReport.noPage) }
            guard host != nil || !page.isLoopback else {
                throw UsageError("\(KioskReport.onlyHere), or name the proxy with --host")
            }
            try report.check(host, of: page)
            let origin = report.origin(of: page, host: host)
            let link = try await client.addPhone(PhoneRequest(name: name, look: look))
            if !output.json, isatty(STDOUT_FILENO) == 1, let authority = report.https?.authority,
                origin.hasPrefix("https://"), host?.origin == nil
            {
                print(
                    """
                    A phone that does not know this node yet must trust its authority first: open \(origin)/authority.crt there,
                    install it as a certificate authority, and compare its SHA-256:
                    \(authority)

                    """)
            }
            show(KioskReport.link(to: origin, path: "pair", query: ["code": link.code]), until: link.expires)
        }
    }

    private func show(_ link: String, until expires: WallTime) {
        if output.json {
            let printed: JSONText = [
                "expires": expires.milliseconds.json, "link": link.json, "mayPress": (!look).json, "name": name.json,
            ]
            return print(CommandOutput.json(printed))
        }
        // The link alone, for scripts; the rest is for a person.
        guard isatty(STDOUT_FILENO) == 1 else { return print(link) }
        print("Scan this with “\(name)”, or open the link there:\n\n\(link)\n")
        if let code = QRCode(link) { print(code.text) }
        print(
            """
            It works once, until \(LocalTime.text(of: expires)). The phone then may \
            \(look ? "only look" : "press, start and take"). To shut it out: lockstep phone remove "\(name)"
            """)
    }
}

/// `lockstep phone list`: lists the paired phones.
struct PhoneListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the paired phones: name, access, since when, last seen.")

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await socket.withNode { client in
            let report = try await client.phones()
            if output.json { return print(CommandOutput.json(report.encoded)) }
            guard !report.phones.isEmpty else { return print("No phones yet: lockstep phone add NAME") }
            let rows = report.phones.map { phone in
                [
                    phone.name, phone.mayPress ? "press" : "look",
                    LocalTime.text(of: phone.since),
                    phone.online ? "online" : LocalTime.text(of: phone.lastSeen),
                ]
            }
            let table = [["NAME", "MAY", "SINCE", "LAST SEEN"]] + rows
            print(TextTable.lines(table, width: TerminalText.displayWidth).joined(separator: "\n"))
        }
    }
}

/// `lockstep phone remove`: shuts out a phone.
struct PhoneRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Shut out a phone: its key ends, and its open pages end at once.",
        discussion: "A link that was not used yet ends, too.")

    @Argument(help: "The name of the phone.")
    var name: String
    @OptionGroup var socket: SocketOptions

    func run() async throws {
        try await socket.withNode { client in
            _ = try await client.removePhone(PhoneRequest(name: name))
            print("“\(name)” is shut out.")
        }
    }
}
