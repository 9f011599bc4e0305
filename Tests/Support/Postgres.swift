// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A real PostgreSQL with its own port and directory: a cluster of Debian's package, started by its own programs.
public final class Postgres: Sendable {
    /// The port at 127.0.0.1, also after a restart.
    public let port = Port.free()
    private let directory: TemporaryDirectory
    private let programs: String
    private static let installed = (13...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        .first { access($0 + "/postgres", X_OK) == 0 }
    /// Whether this machine has it, or must have it. `Deploy/test` installs it and sets `LOCKSTEP_TEST_ALL`, so that no
    /// test is skipped.
    public static var isInstalled: Bool { installed != nil || getenv("LOCKSTEP_TEST_ALL") != nil }
    private let child = Mutex<pid_t?>(nil)

    /// Makes the cluster; ``start()`` starts the server.
    public init() async throws {
        guard let installed = Self.installed else { throw Failed("postgresql is not installed") }
        programs = installed
        directory = try TemporaryDirectory()
        if geteuid() == 0, let user = getpwnam("postgres") {
            chown(directory.path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        try await Spawn.run(
            command("initdb", "-D", directory.file("data"), "-A", "trust", "-U", "lockstep", "-E", "UTF8", "-N"),
            in: directory)
    }

    deinit { if let child = child.withLock({ $0 }) { Spawn.end(child) } }

    /// The command line of a program of PostgreSQL, which refuses to run as root.
    private func command(_ program: String, _ arguments: String...) -> [String] {
        let change = ["/usr/bin/setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"]
        return (geteuid() == 0 ? change : []) + ["\(programs)/\(program)"] + arguments
    }

    public func url(_ database: String = "postgres") -> String {
        "postgresql://lockstep@127.0.0.1:\(port)/\(database)"
    }

    public var log: String { directory.read("postgres.log") }

    /// Starts the server and waits until it accepts connections. It does not flush (`-F`), since the machine
    /// does not crash with it.
    public func start() async throws {
        try await eventually("PostgreSQL on port \(port): \(log)") {
            if child.withLock({ $0.map { Spawn.reap($0) != nil } ?? true }) {
                // After a kill its last processes may still have the shared memory.
                let started = try Spawn.start(
                    command(
                        "postgres", "-D", directory.file("data"), "-p", "\(port)", "-F", "-c",
                        "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=50"),
                    output: directory.file("postgres.log"))
                child.withLock { $0 = started }
            }
            let question = command("pg_isready", "-q", "-h", "127.0.0.1", "-p", "\(port)")
            return (try? await Spawn.run(question, in: directory)) != nil
        }
    }

    /// Kills the server as a crash would.
    public func kill() async throws { try await end(SIGKILL) }
    /// Ends the server at once, with all its processes.
    public func stop() async throws { try await end(SIGQUIT) }

    private func end(_ signal: Int32) async throws {
        guard let pid = child.withLock({ $0 }) else { return }
        Glibc.kill(pid, signal)
        try await eventually("PostgreSQL ends") { Spawn.reap(pid) != nil }
        child.withLock { $0 = nil }
    }

    /// Runs `body` with a server that is stopped afterwards.
    public static func withServer<Value>(_ body: (Postgres) async throws -> Value) async throws -> Value {
        let server = try await Postgres()
        try await server.start()
        do {
            let value = try await body(server)
            try await server.stop()
            return value
        } catch {
            try? await server.stop()
            throw error
        }
    }
}
