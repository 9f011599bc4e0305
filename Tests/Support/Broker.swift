// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A real mosquitto on a port and in a directory of its own.
public final class Broker: Sendable {
    /// How the broker is set up.
    public struct Options: Sendable {
        /// A TLS listener in place of the plain one.
        public struct TLS: Sendable {
            /// Who signed the broker's certificate, and must have signed the clients'.
            public var authority: CertificateAuthority
            /// The names the certificate is for.
            public var alternatives: String
            /// Whether clients must show a certificate.
            public var requireCertificate: Bool

            /// Makes the options of a TLS listener.
            public init(
                _ authority: CertificateAuthority,
                alternatives: String = "DNS:localhost,IP:127.0.0.1",
                requireCertificate: Bool = false
            ) {
                self.authority = authority
                self.alternatives = alternatives
                self.requireCertificate = requireCertificate
            }
        }

        /// Names and passwords; empty: everybody may connect.
        public var users: [String: String] = [:]
        /// The text of an acl file.
        public var acl: String?
        /// Encryption.
        public var tls: TLS?
        /// Whether everything retained is on disk a second later.
        public var persistence = false
        /// The largest payload, in bytes.
        public var messageSizeLimit: Int?
        /// Further lines of the configuration.
        public var lines: [String] = []
        /// Whether to run with `Config/mosquitto.conf` and `Config/acl`, as people do, and nothing else of the above but
        /// ``users``.
        public var isShipped = false

        /// The defaults: plain, open, nothing on disk.
        public init() {}
    }

    private struct State {
        var child: pid_t?
    }

    /// The port it listens on, at 127.0.0.1, also after a restart.
    public let port: Int
    /// Its directory: configuration, log, store.
    public let directory: TemporaryDirectory
    private let program: String
    private let state = Mutex(State())

    /// Writes the configuration; ``start()`` starts it.
    public init(_ options: Options = Options()) async throws {
        program = try Spawn.find("mosquitto")
        directory = try TemporaryDirectory()
        port = Port.free()
        if !options.users.isEmpty || options.isShipped {
            let passwords = try directory.write("", to: "passwd")
            for (user, password) in options.users.sorted(by: { $0.key < $1.key }) {
                let tool = try Spawn.find("mosquitto_passwd")
                try await Spawn.run([tool, "-b", passwords, user, password], in: directory)
            }
        }
        if options.isShipped {
            try directory.write(try Self.shipped(port: port, directory: directory), to: "mosquitto.conf")
            return
        }
        var lines = [
            "listener \(port) 127.0.0.1",
            // Started by root it would become a user that cannot write here.
            "user root",
            "set_tcp_nodelay true",
            "allow_anonymous \(options.users.isEmpty)",
            "log_dest file \(directory.file("mosquitto.log"))",
            "log_type all",
            "connection_messages true",
        ]
        if options.persistence {
            lines += [
                "persistence true", "persistence_location \(directory.path)/", "autosave_on_changes true",
                "autosave_interval 1",
            ]
        }
        if !options.users.isEmpty { lines.append("password_file \(directory.file("passwd"))") }
        if let acl = options.acl { lines.append("acl_file \(try directory.write(acl, to: "acl"))") }
        if let limit = options.messageSizeLimit { lines.append("message_size_limit \(limit)") }
        if let tls = options.tls {
            let identity = try await tls.authority.issue("broker", alternatives: tls.alternatives)
            lines += [
                "cafile \(tls.authority.file)", "certfile \(identity.certificate)", "keyfile \(identity.key)",
                "require_certificate \(tls.requireCertificate)",
            ]
        }
        try directory.write((lines + options.lines).joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }

    /// The configuration that people install, with its four lines marked (place) changed and nothing else.
    private static func shipped(port: Int, directory: TemporaryDirectory) throws -> String {
        let acl = try directory.write(Project.read("Config/acl"), to: "acl")
        let places = [
            "listener ": "\(port) 127.0.0.1", "password_file ": directory.file("passwd"), "acl_file ": acl,
            "persistence_location ": "\(directory.path)/",
        ]
        let lines = try Project.read("Config/mosquitto.conf").split(separator: "\n").map { line in
            places.first { line.hasPrefix($0.key) }.map { $0.key + $0.value } ?? String(line)
        }
        return (lines + ["user root", "log_dest file \(directory.file("mosquitto.log"))", "log_type all", ""])
            .joined(separator: "\n")
    }

    deinit {
        if let child = state.withLock({ $0.child }) { Spawn.end(child) }
    }

    /// Runs `body` with a broker that is stopped afterwards.
    public static func withBroker<Value>(
        _ options: Options = Options(),
        _ body: (Broker) async throws -> Value
    ) async throws -> Value {
        let broker = try await Broker(options)
        try await broker.start()
        do {
            let value = try await body(broker)
            try await broker.kill()
            return value
        } catch {
            try? await broker.kill()
            throw error
        }
    }

    /// What it has logged.
    public var log: String { directory.read("mosquitto.log") }

    /// How often a client has subscribed, whatever its id's random suffix. What is published from then on reaches it,
    /// unless it is away.
    public func subscriptions(of client: String) -> Int {
        log.split(separator: "\n").count { line in
            guard let words = line.firstRange(of: "Sending SUBACK to \(client)-") else { return false }
            return !line[words.upperBound...].contains("-")
        }
    }

    /// Starts it, and returns when it takes connections.
    public func start() async throws {
        let child = try Spawn.start(
            [program, "-c", directory.file("mosquitto.conf")],
            output: directory.file("output.log")
        )
        state.withLock { $0.child = child }
        try await eventually("broker on port \(port)") {
            if Spawn.reap(child) != nil {
                state.withLock { $0.child = nil }
                throw SpawnFailed(description: "mosquitto has ended: \(log) \(directory.read("output.log"))")
            }
            return Port.answers(port)
        }
    }

    /// Ends it in an orderly way: wills are sent, retained messages stored.
    public func stop() async throws { try await end(SIGTERM) }

    /// Ends it at once.
    public func kill() async throws { try await end(SIGKILL) }

    /// Ends it at once, and starts it on the same port.
    public func restart() async throws {
        try await kill()
        try await start()
    }

    /// Freezes it: connections stay, nothing is answered.
    public func suspend() {
        if let child = state.withLock({ $0.child }) { Spawn.freeze(child) }
    }

    /// Lets it go on.
    public func resume() {
        if let child = state.withLock({ $0.child }) { Glibc.kill(child, SIGCONT) }
    }

    private func end(_ number: Int32) async throws {
        guard let child = state.withLock({ $0.child }) else { return }
        Glibc.kill(child, number)
        Glibc.kill(child, SIGCONT)
        try await eventually("end of the broker") { Spawn.reap(child) != nil }
        state.withLock { $0.child = nil }
    }
}
