// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hummingbird
public import Logging
public import ServiceLifecycle
public import Wire

/// The HTTP API of a node on a Unix socket, for the programs of the user that runs the node and nobody else.
public struct ControlServer: Service {
    private let node: any NodeAccess
    private let path: String
    private let kiosk: KioskReport
    private let log: Logger
    private let onReady: @Sendable () async -> Void

    /// Makes a server, which listens from ``run()`` on.
    /// - Parameters:
    ///   - node: What it serves.
    ///   - path: The socket's path, at most 107 bytes; its mode becomes 0600.
    ///   - kiosk: Where the node serves its page, with its keys.
    ///   - log: Where it says what happens.
    ///   - onReady: Called once it listens.
    /// - Throws: ``ControlError`` when the path cannot be used or another node listens there.
    public init(
        node: any NodeAccess, path: String, kiosk: KioskReport, log: Logger,
        onReady: @escaping @Sendable () async -> Void = {}
    ) throws(ControlError) {
        self.node = node
        self.path = path
        self.kiosk = kiosk
        self.log = log
        self.onReady = onReady
        guard path.utf8.count <= UnixSocket.maximumPath else { throw .pathTooLong(path) }
        if UnixSocket.isServed(path) { throw .taken(path) }
    }

    /// Serves until graceful shutdown.
    public func run() async throws {
        var quiet = log
        quiet.logLevel = max(log.logLevel, .warning)
        let router = Router(context: WebContext.self)
        let signpost = Signpost()
        router.add(middleware: signpost)
        API(node: node).addRoutes(to: router)
        router.get("/v1/kiosk") { [kiosk] _, _ in Response(ReportJSON.encode(kiosk), type: "application/json") }
        signpost.learn(router)
        let application = Application(
            router: router,
            configuration: .init(address: .unixDomainSocket(path: path)),
            onServerRunning: { [path, onReady] _ in
                chmod(path, 0o600)
                await onReady()
            },
            logger: quiet
        )
        defer { unlink(path) }
        try await application.run()
    }
}

/// Why the local control cannot be used.
public enum ControlError: Error, Sendable, CustomStringConvertible {
    /// The system allows no longer path.
    case pathTooLong(String)
    /// Another process listens on the socket.
    case taken(String)
    /// Nobody listens on the socket.
    case unreachable(String)
    /// Somebody listens on the socket, and gave no answer in time.
    case noAnswer(String)
    /// What came back was no answer of a node.
    case badAnswer(String)

    /// Names the socket and the way out.
    public var description: String {
        switch self {
        case .pathTooLong(let path):
            "the socket's path \(path) has more than \(UnixSocket.maximumPath) bytes; give a shorter one with --socket"
        case .taken(let path): "another node already listens on \(path); end it, or give this one its own with --socket"
        case .unreachable(let path): "no node listens on \(path)"
        case .noAnswer(let path): "the node that listens on \(path) did not answer in time"
        case .badAnswer(let reason): "the node gave no usable answer: \(reason)"
        }
    }
}

enum UnixSocket {
    static let maximumPath = 107

    /// Whether somebody accepts connections at `path`.
    static func isServed(_ path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
