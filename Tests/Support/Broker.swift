// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A real mosquitto with its own port and directory.
public final class Broker: Sendable {
    /// The configuration of a broker.
    public struct Options: Sendable {
        /// A TLS listener instead of the plain one.
        public struct TLS: Sendable {
            /// The authority of the certificates of the broker and of clients.
            public var authority: CertificateAuthority
            /// The alternative names of the certificate.
            public var alternatives: String
            public var requireCertificate: Bool

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

        /// Names and passwords; if empty, any client may connect.
        public var users: [String: String]
        public var acl: String?
        public var tls: TLS?
        /// Whether retained messages are on disk a second later.
        public var persistence: Bool
        /// The largest payload, in bytes.
        public var messageSizeLimit: Int?
        /// Further lines of the configuration.
        public var lines: [String]
        /// Whether to use `Config/mosquitto.conf` and `Config/acl`; of the other options only ``users`` applies then.
        public var isShipped: Bool

        public init(
            users: [String: String] = [:], acl: String? = nil, tls: TLS? = nil, persistence: Bool = false,
            lines: [String] = [], isShipped: Bool = false
        ) {
            self.users = users
            self.acl = acl
            self.tls = tls
            self.persistence = persistence
            self.lines = lines
            self.isShipped = isShipped
        }
    }

    private struct State {
        var child: pid_t?
    }

    /// The port at 127.0.0.1, also after a restart.
    public let port: Int
    /// The directory of its configuration, log and store.
    public let directory: TemporaryDirectory
    private let program: String
    private let state = Mutex(State())

    /// Writes the configuration; ``start()`` starts the broker.
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
            // Otherwise mosquitto started by root changes to a user that cannot write here.
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

    /// The shipped configuration with other values in its four lines marked (place), and lines for root and the log.
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

    public var log: String { directory.read("mosquitto.log") }

    /// Whether the broker has returned a node's barrier. Later messages to the node arrive after it.
    public func hasReturnedBarrier(of node: String) -> Bool {
        log.split(separator: "\n").contains { line in
            line.contains("Sending PUBLISH to lockstep-home-\(node)-") && line.contains("/node/\(node)/ping/\(node)'")
        }
    }

    /// Starts the broker and waits until it accepts connections.
    public func start() async throws {
        let child = try Spawn.start(
            [program, "-c", directory.file("mosquitto.conf")],
            output: directory.file("output.log")
        )
        state.withLock { $0.child = child }
        try await eventually("broker on port \(port)") {
            if Spawn.reap(child) != nil {
                state.withLock { $0.child = nil }
                throw Failed("mosquitto has ended: \(log) \(directory.read("output.log"))")
            }
            return Port.answers(port)
        }
    }

    /// Stops the broker gracefully, which sends wills and stores retained messages.
    public func stop() async throws { try await end(SIGTERM) }
    public func kill() async throws { try await end(SIGKILL) }

    /// Kills the broker and starts it on the same port.
    public func restart() async throws {
        try await kill()
        try await start()
    }

    /// Freezes the broker: connections stay open, but it does not answer.
    public func suspend() {
        if let child = state.withLock({ $0.child }) { Spawn.freeze(child) }
    }

    public func resume() {
        if let child = state.withLock({ $0.child }) { Glibc.kill(child, SIGCONT) }
    }

    private func end(_ signal: Int32) async throws {
        guard let child = state.withLock({ $0.child }) else { return }
        Glibc.kill(child, signal)
        // A frozen broker handles the signal only after it continues.
        Glibc.kill(child, SIGCONT)
        try await eventually("the broker ends") { Spawn.reap(child) != nil }
        state.withLock { $0.child = nil }
    }
}
