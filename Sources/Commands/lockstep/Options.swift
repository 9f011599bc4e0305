// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import FoundationEssentials
import Session
import Shell
import Web

/// Which node of this machine a command speaks to.
struct SocketOptions: ParsableArguments, Sendable {
    @Option(
        help: "The socket of the node on this machine (default: where nodes put it). LOCKSTEP_SOCKET",
        completion: .file())
    var socket: String?

    /// The node on this machine, if one listens.
    var localNode: ControlClient? {
        wantedSockets.first(where: ControlClient.isServed).map(ControlClient.init)
    }

    var wantedSockets: [String] {
        let environment = ProcessInfo.processInfo.environment
        if let given = socket ?? environment["LOCKSTEP_SOCKET"], !given.isEmpty { return [given] }
        return Paths(environment: environment).sockets
    }
}

/// Which node, or failing that which broker, a command speaks to.
struct AccessOptions: ParsableArguments, Sendable {
    @OptionGroup var socket: SocketOptions

    @OptionGroup(title: "Without a node on this machine")
    var broker: BrokerOptions

    /// Runs `body` with access to the session: through the node on this machine, else as a passing remote.
    func withAccess(_ body: (any SessionAccess) async throws -> Void) async throws {
        if let client = socket.localNode {
            return try await Access.orUnreachable { try await body(LocalAccess(client: client)) }
        }
        guard let settings = try remoteSettings() else {
            let sockets = socket.wantedSockets.joined(separator: " or ")
            throw Access.unreachable("no node listens on \(sockets), and no --broker is given")
        }
        try await Remote.run(settings: settings, body)
    }

    /// The same for who tries again later: where nobody is reached it returns or throws without a word.
    func withAccessIfReached(_ body: (any SessionAccess) async throws -> Void) async throws {
        if let client = socket.localNode { return try await body(LocalAccess(client: client)) }
        guard let settings = try remoteSettings() else { return }
        try await Remote.run(settings: settings, isQuiet: true, body)
    }

    /// What a passing remote needs; `nil` where no broker is given.
    func remoteSettings() throws -> Settings? {
        let environment = ProcessInfo.processInfo.environment
        var values = broker.values
        try values.fill(environment: environment)
        let settings = try Settings(values, environment: environment)
        return settings.broker == nil ? nil : settings
    }
}

/// How a command says what came of it.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Say it as JSON, for programs.")
    var json = false
}

extension Duration {
    /// Reads a duration of a command line.
    static func seconds(_ text: String, of name: String) throws(UsageError) -> Int {
        do throws(PlanError) {
            return try PlanGrammar.seconds(of: text)
        } catch {
            throw UsageError("\(name) “\(text)”: \(error)")
        }
    }
}

extension Int {
    /// A number of seconds as the plan grammar writes it: `1h30m`.
    var inWords: String {
        let parts = [(self / 3_600, "h"), (self / 60 % 60, "m"), (self % 60, "s")].filter { $0.0 > 0 }
        return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined()
    }
}
