// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Joining

/// `lockstep broker`: the broker of this machine.
struct BrokerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Set up a broker on this machine, or undo that.",
        subcommands: [SetUpCommand.self, UnsetCommand.self])

    /// `lockstep broker setup`: sets up mosquitto.
    struct SetUpCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "setup",
            abstract: "Install and configure mosquitto, for this machine only unless --lan is given.",
            discussion: """
                Where mosquitto is configured already, the new configuration is tried on spare ports first, and nothing is \
                changed if a check fails. Repeating setup keeps the members, and needs all options again: \
                without --lan, --tls or --separate-spaces these end.
                """)

        @Flag(help: "Listen on the LAN.")
        var lan = false

        @Flag(help: "Use TLS, with an authority that is made here.")
        var tls = false

        @Option(help: "A further name or address by which nodes reach this machine (default: its present address).")
        var host: String?

        @Option(help: "The port (default: 8883 with TLS, else 1883).")
        var port: Int?

        @Flag(help: "Keep the members of a space from reading and writing other spaces.")
        var separateSpaces = false

        @Option(help: .hidden)
        var destdir: String?

        func run() throws {
            var options = BrokerRequest.Options()
            (options.isOnLAN, options.isEncrypted, options.keepsSpacesApart) = (lan, tls, separateSpaces)
            (options.host, options.port) = (host, port)
            try MemberCommandSupport.become(.setUp(options), destdir)
        }
    }

    /// `lockstep broker unset`: undoes the setup.
    struct UnsetCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unset",
            abstract: "Restore the configuration and the state of mosquitto from before setup; the members are kept.")

        @Option(help: .hidden)
        var destdir: String?

        func run() throws { try MemberCommandSupport.become(.unset, destdir) }
    }
}
