// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization

/// A `lockstep-node` process with a state directory that outlives it.
final class NodeProcess: Sendable {
    let id: String
    let directory: TemporaryDirectory
    private let clock: MovedClock
    private let arguments: [String]
    private let environment: [String: String]
    private let openFiles: Int?
    private let child = Mutex<pid_t?>(nil)
    private let starts = Mutex(0)

    /// - Parameters:
    ///   - broker: The port of a broker on this machine, or a whole address; `nil` for none.
    ///   - password: The password for the broker; the user is the node.
    ///   - options: Further options.
    ///   - clock: The clocks that it sees.
    ///   - openFiles: Its limit of open files; `nil` for the limit of the tests.
    init(
        _ id: String, broker: String? = nil, password: String? = nil, options: [String] = [],
        environment: [String: String] = [:], directory: TemporaryDirectory? = nil, clock: MovedClock = .ofThisMachine,
        openFiles: Int? = nil
    ) throws {
        self.id = id
        self.openFiles = openFiles
        self.clock = clock
        self.directory = try directory ?? TemporaryDirectory()
        var arguments = ["--node", id, "--state-dir", self.directory.file("state")]
        arguments += ["--socket", self.directory.file("node.sock")]
        if let broker { arguments += ["--broker", broker] }
        if let password {
            let file = try self.directory.write(password, to: "password")
            chmod(file, 0o600)
            arguments += ["--password-file", file]
        }
        self.arguments = arguments + options
        self.environment = Program.environment(
            home: self.directory.path, clock.environment.merging(environment) { $1 })
    }

    deinit {
        guard let pid = child.withLock({ $0 }) else { return }
        Spawn.end(pid)
        clock.clean(after: pid)
    }

    var socket: LocalSocket { LocalSocket(path: directory.file("node.sock")) }
    var pid: pid_t? { child.withLock { $0 } }
    var isRunning: Bool { pid.map { Glibc.kill($0, 0) == 0 } ?? false }

    /// The log of the present process.
    var log: String { directory.read(logName) }
    private var logName: String { "node-\(starts.withLock { $0 }).log" }

    /// Starts the node and waits until it serves its socket.
    func start() async throws {
        let pid = try launch()
        try await eventually("\(id) serves its socket") {
            if let status = Spawn.reap(pid) {
                child.withLock { $0 = nil }
                throw Failed("\(id) ended with \(status): \(log)")
            }
            return log.contains("[lockstep_node] ready")
        }
    }

    /// Starts the node and waits until it serves its page too, which comes later.
    func startServing() async throws {
        try await start()
        try await eventually("\(id) serves its page") { log.contains("page is served") }
    }

    /// Starts the node and does not wait.
    @discardableResult
    func launch() throws -> pid_t {
        starts.withLock { $0 += 1 }
        let limit = openFiles.map { ["/bin/sh", "-c", "ulimit -n \($0) && exec \"$0\" \"$@\""] } ?? []
        let pid = try Spawn.start(
            clock.words(in: directory) + limit + [Program.path("lockstep-node")] + arguments, environment: environment,
            output: directory.file(logName))
        child.withLock { $0 = pid }
        return pid
    }

    /// Kills the node, as a power cut does.
    func kill() async throws {
        signal(SIGKILL)
        try await ended()
    }

    /// Sends a signal that ends the node, and waits.
    /// - Returns: Its exit code.
    @discardableResult
    func end(_ number: Int32 = SIGTERM) async throws -> Int32 {
        signal(number)
        return try await ended()
    }

    /// Waits for the end of the node.
    @discardableResult
    func ended() async throws -> Int32 {
        guard let pid else { return 0 }
        let code = try await Spawn.end(of: pid, "\(id) ends")
        child.withLock { $0 = nil }
        clock.clean(after: pid)
        return code
    }

    /// Stops the process: its connections stay open, but it does not answer.
    func freeze() {
        if let pid { Spawn.freeze(pid) }
    }

    func thaw() { signal(SIGCONT) }

    private func signal(_ number: Int32) {
        if let pid { Glibc.kill(pid, number) }
    }

    /// Runs `lockstep` with the socket of this node.
    @discardableResult
    func lockstep(_ arguments: String...) async throws -> CommandResult {
        try await CommandLine.run(arguments + ["--socket", socket.path])
    }

    /// The session that the node shows; `null` while it does not answer.
    var status: JSON { socket.request("GET", "/v1/session")?.body ?? .null }
    var nodes: JSON { socket.request("GET", "/v1/nodes")?.body ?? .null }

    /// The number of its unacknowledged ledger records; `nil` while it does not answer.
    var recordsWaiting: Int? {
        row(of: id).recordsWaiting.int.map { Int($0) }
    }

    /// The row of another node in its list of nodes.
    func row(of node: String) -> JSON { nodes.items.first { $0.node.text == node } ?? .null }

    /// Starts a session.
    /// - Returns: The session's id.
    @discardableResult
    func begin(_ request: JSON = ["title": "Reading", "seconds": 1500]) throws -> String {
        guard let answer = socket.request("POST", "/v1/start", body: request.bytes), answer.code == 200,
            let id = answer.body.session.text
        else { throw Failed("\(self.id) did not start a session: \(log)") }
        return id
    }

    /// Waits until the session satisfies `isRight`.
    @discardableResult
    func waitFor(
        _ what: String, file: String = #fileID, line: Int = #line, _ isRight: (JSON) -> Bool
    ) async throws -> JSON {
        var last = JSON.null
        do {
            try await eventually("\(id) shows \(what)", file: file, line: line) {
                last = status
                return isRight(last)
            }
        } catch let error as TimedOut {
            throw Failed("\(error); it shows \(last)\n\(log)")
        }
        return last
    }
}
