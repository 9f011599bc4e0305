// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import FoundationEssentials
import Settings
import Subprocess
import SystemPackage

/// The options that name the node, or else the broker, that a command uses.
struct AccessOptions: ParsableArguments, Sendable {
    @OptionGroup var socket: SocketOptions

    @OptionGroup(title: "Without a node on this machine")
    var broker: BrokerOptions

    /// Runs `body` with a client of the node on this machine, or else of a passing remote.
    func withAccess(_ body: (ControlClient) async throws -> Void) async throws {
        try await ExitStatus.replacingControlErrors {
            if try await !withAccess(quiet: false, body) {
                throw socket.reportUnreachable(", and no --broker is given")
            }
        }
    }

    /// Runs `body` likewise for a caller that retries: prints nothing if neither node nor broker is reached.
    func withAccessIfReached(_ body: (ControlClient) async throws -> Void) async throws {
        _ = try await withAccess(quiet: true, body)
    }

    /// Runs `body`, and returns whether there was a node or a broker to connect to.
    private func withAccess(quiet: Bool, _ body: (ControlClient) async throws -> Void) async throws -> Bool {
        if let client = socket.localNode {
            // A caller that retries has called `check`.
            if !quiet { try await check(for: client) }
            try await body(client)
        } else if try hasBroker() {
            try await Self.withRemote(broker.arguments + (quiet ? ["--quiet"] : []), body)
        } else {
            return false
        }
        return true
    }

    /// Checks the options once, for a caller that retries.
    func check() async throws {
        guard let client = socket.localNode else { return _ = try hasBroker() }
        do { try await check(for: client) } catch is ControlError { return }
    }

    /// Refuses a space and a broker that are not those of the node on this machine.
    private func check(for node: ControlClient) async throws {
        let given = broker.values
        if !broker.arguments.isEmpty { _ = try hasBroker() }
        let advice = "leave it out, or name another node with --socket"
        if given.isGiven(.broker) {
            throw UsageError("--broker: the node of this machine has its own connection; \(advice)")
        }
        let ofEnvironment = ProcessInfo.processInfo.environment[Setting.space.rawValue] ?? ""
        let space = given[.space]?.text ?? ofEnvironment
        guard !space.isEmpty else { return }
        let own = try await node.status().space
        guard space != own else { return }
        let option = given.isGiven(.space) ? "--space \(space)" : "\(Setting.space.rawValue)=\(space)"
        throw UsageError("\(option): the node of this machine is in \(own); \(advice)")
    }

    /// Checks the settings of a passing remote, and returns whether they name a broker.
    func hasBroker() throws -> Bool {
        let environment = ProcessInfo.processInfo.environment
        var values = broker.values
        try values.fill(environment: environment)
        return try NodeSettings(values, environment: environment).broker != nil
    }

    /// Runs `body` with a passing remote: `lockstep-node remote` joins the space and serves a control socket meanwhile.
    /// - Throws: The error of `body`; the exit code of a remote that could not join, after it has printed the reason.
    private static func withRemote(
        _ arguments: [String], _ body: (ControlClient) async throws -> Void
    ) async throws {
        var options = PlatformOptions()
        // Ctrl-C reaches this process only; the remote ends when its standard input does.
        options.processGroupID = 0
        let result = try await Subprocess.run(
            .path(FilePath(CompanionExecutable.path(of: "lockstep-node"))),
            arguments: Arguments(["remote"] + arguments),
            platformOptions: options, input: .inputWriter, output: .sequence, error: .currentStandardError
        ) { execution in
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            guard let socket = try await lines.next() else { return }
            try await body(ControlClient(path: socket))
        }
        if case .exited(let code) = result.terminationStatus, code != 0 { throw ExitCode(code) }
    }
}
