// SPDX-License-Identifier: Apache-2.0

import Commands
import FoundationEssentials
import Glibc
import Shell
import Web
import Wire

/// A real `lockstep-node` with a running session, as on a desk.
struct NodeProcess: Sendable {
    let process: pid_t
    let socket: String

    static func with<Value: Sendable>(
        _ broker: BrokerAddress, _ directory: String, options: [String] = [],
        _ body: @Sendable (NodeProcess) async throws -> Value
    ) async throws -> Value {
        let socket = directory + "/node.sock"
        let process = try Child.start(
            "lockstep-node",
            [
                "--broker", "\(broker)", "--space", "bench", "--node", "desk", "--state-dir", directory + "/node",
                "--socket", socket, "--log-level", "warning",
            ] + options)
        do {
            try await startSession(socket)
            let value = try await body(NodeProcess(process: process, socket: socket))
            await Child.end(process)
            return value
        } catch {
            await Child.end(process)
            throw error
        }
    }

    private static func startSession(_ socket: String) async throws {
        var patience = 500
        while !ControlClient.isServed(socket) {
            try await Task.sleep(for: .milliseconds(10))
            patience -= 1
            if patience == 0 { throw BenchError("lockstep-node does not listen on its socket") }
        }
        let reply = try await ControlClient(path: socket).start(
            StartRequest(title: "Reading", plan: "(focus 25m, shortBreak 5m) x4"))
        guard reply.outcome == .applied else { throw BenchError("lockstep-node starts no session: \(reply.outcome)") }
    }
}

/// Programs that stand beside this one.
enum Child {
    static func start(
        _ program: String, _ arguments: [String], clock: [String] = []
    ) throws -> pid_t {
        let path = Sibling.path(of: program)
        guard access(path, X_OK) == 0 else {
            throw BenchError("\(path) is missing; build it first: swift build -c release --product \(program)")
        }
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LOCKSTEP_") }
        // What sets another clock is a program that then becomes this one.
        let words = clock + [path] + arguments
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var process: pid_t = 0
        let code = posix_spawn(&process, words[0], &actions, nil, &argv, &envp)
        guard code == 0 else { throw BenchError("cannot start \(path): \(String(cString: strerror(code)))") }
        return process
    }

    /// Waits for the end of a program.
    /// - Returns: Its exit code, 255 when a signal ended it.
    static func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 255
    }

    /// Asks a program to end, and does not take no for an answer.
    static func end(_ process: pid_t) async {
        kill(process, SIGTERM)
        for _ in 0..<300 {
            if waitpid(process, nil, WNOHANG) != 0 { return }
            // Not a task's sleep, which a cancelled task would not get.
            usleep(10_000)
        }
        kill(process, SIGKILL)
        _ = wait(process)
    }
}
