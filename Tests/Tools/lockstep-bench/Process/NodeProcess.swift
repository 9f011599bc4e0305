// SPDX-License-Identifier: Apache-2.0

import API
import Client
import Glibc
import Harness
import Settings
import Subprocess
import SystemPackage

/// A real `lockstep-node` with a running session, as on a desk.
struct NodeProcess: Sendable {
    let process: pid_t
    let socket: String

    static func with<Value: Sendable>(
        _ broker: BrokerAddress, _ directory: String, options: [String] = [],
        _ body: @Sendable (NodeProcess) async throws -> Value
    ) async throws -> Value {
        let socket = directory + "/node.sock"
        return try await Child.with(
            "lockstep-node",
            [
                "--broker", "\(broker)", "--space", "bench", "--node", "desk", "--state-dir", directory + "/node",
                "--socket", socket, "--log-level", "warning",
            ] + options
        ) { process in
            try await startSession(socket)
            return try await body(NodeProcess(process: process, socket: socket))
        }
    }

    private static func startSession(_ socket: String) async throws {
        try await eventually("lockstep-node listens on its socket") { ControlClient.isServed(socket) }
        let reply = try await ControlClient(path: socket).start(
            StartRequest(title: "Reading", plan: "(focus 25m, shortBreak 5m) x4"))
        guard reply.outcome == .applied else { throw Failed("lockstep-node starts no session: \(reply.outcome)") }
    }
}

/// Runs the programs in the folder of this one.
enum Child {
    /// Runs `body` while a program runs, and then ends it.
    /// - Parameter wrapper: A command before the program that sets its clock or core and then executes it.
    static func with<Value: Sendable>(
        _ program: String, _ arguments: [String], by wrapper: [String] = [],
        _ body: @Sendable (pid_t) async throws -> Value
    ) async throws -> Value {
        let end = TeardownStep.gracefulShutDown(allowedDurationToNextStep: .seconds(3))
        var options = PlatformOptions()
        options.teardownSequence = [end]
        let words = wrapper + [try path(of: program)] + arguments
        return try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())), environment: .withoutSettings,
            platformOptions: options, input: .none, output: .discarded, error: .discarded
        ) { execution in
            let value = try await body(execution.processIdentifier.value)
            await execution.teardown(using: [end])
            return value
        }.closureResult
    }

    static func run(_ program: String, _ arguments: [String]) async throws -> TerminationStatus {
        try await Subprocess.run(
            .path(FilePath(try path(of: program))), arguments: Arguments(arguments), environment: .withoutSettings,
            input: .none, output: .discarded, error: .discarded
        ).terminationStatus
    }

    private static func path(of program: String) throws -> String {
        let path = CompanionExecutable.path(of: program)
        guard access(path, X_OK) == 0 else {
            throw Failed("\(path) is missing; build it first: swift build -c release --product \(program)")
        }
        return path
    }
}
