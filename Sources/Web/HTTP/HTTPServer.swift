// SPDX-License-Identifier: Apache-2.0

package import API
import Glibc
import Hummingbird
package import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import Session

/// The encryption of an HTTPS address. ``ServerCertificate`` implements it if the package trait `HTTPS` is on;
/// `Deploy/demo` builds without it.
package protocol HTTPEncryption: Sendable {
    /// The SHA-256 of the node's own authority; `nil` if another authority signed the certificate.
    var fingerprint: String? { get }
    /// The node's own authority as PEM; `nil` if another authority signed the certificate.
    var authority: [UInt8]? { get }

    /// Returns the same server behind TLS.
    func encrypt(_ server: HTTPServerBuilder) throws -> HTTPServerBuilder
}

/// An address on which the server listens.
package struct HTTPListener: Sendable {
    let host: String
    let port: Int
    /// `nil` for plain HTTP.
    package let encryption: (any HTTPEncryption)?

    package init(host: String, port: Int, encryption: (any HTTPEncryption)? = nil) {
        self.host = host
        self.port = port
        self.encryption = encryption
    }

    var address: String { "\(host.urlHost):\(port)" }
}

/// The HTTP API and the pages of a node on one or two TCP ports.
package struct HTTPServer: Service {
    private let node: any NodeAccess
    private let listeners: [HTTPListener]
    private let kiosk: KioskReport
    private let screen: OwnScreen
    private let auth: AuthMiddleware
    private let calendar: @Sendable () async throws -> [UInt8]
    private let log: Logger
    var timeouts = Timeouts()
    var limits: ConnectionLimits

    /// Creates a server. It does not listen before ``run()``.
    package init(
        node: any NodeAccess, listeners: [HTTPListener], hosts: Set<String>, configuredHosts: Set<String> = [],
        openFiles: Int, kiosk: KioskReport, screen: OwnScreen = OwnScreen(), phones: PairedPhones, log: Logger,
        calendar: @escaping @Sendable () async throws -> [UInt8]
    ) {
        self.node = node
        self.calendar = calendar
        self.listeners = listeners
        self.kiosk = kiosk
        self.screen = screen
        auth = AuthMiddleware(
            keys: SharedKeys(kiosk), phones: phones, hosts: hosts.union(["localhost"]),
            configuredHosts: configuredHosts,
            needsLocalKey: kiosk.needsLocalKey)
        limits = ConnectionLimits(openFiles: openFiles)
        self.log = log
    }

    static func router(
        node: any NodeAccess, streams: EventStreams, kiosk: KioskReport, screen: OwnScreen = OwnScreen(),
        auth: AuthMiddleware, timeouts: Timeouts = Timeouts(), authority: @escaping @Sendable () -> [UInt8]? = { nil },
        calendar: @escaping @Sendable () async throws -> [UInt8] = { [] }
    ) -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        let notFound = NotFoundMiddleware()
        router.add(middleware: auth)
        router.add(middleware: notFound)
        router.add(middleware: SameOriginMiddleware(isSecure: auth.isSecure))
        @Sendable func addRoutes(to routes: Routes) {
            APIRoutes(node: node, streams: streams, bodyTimeout: timeouts.body).addRoutes(to: routes)
            PageRoutes(node: node, streams: streams, kiosk: kiosk, screen: screen, authority: authority)
                .addRoutes(to: routes)
            WidgetRoutes(node: node).addRoutes(to: routes)
            WeekRoutes(node: node).addRoutes(to: routes)
            RemoteRoutes(node: node).addRoutes(to: routes)
            CalendarRoutes(calendar: calendar).addRoutes(to: routes)
            PhoneRoutes(phones: auth.phones).addRoutes(to: routes)
            routes.get(
                "/openapi.json",
                Route("This description.", [.json("OpenAPI 3.1.") { _ in ["type": "object"] }])
            ) { _, _ in Response(OpenAPI.page(addRoutes), type: "application/json", cache: "no-cache") }
        }
        addRoutes(to: Routes(router: router))
        notFound.setRoutes(of: router)
        return router
    }

    /// Serves until graceful shutdown.
    package func run() async throws {
        let streams = EventStreams(node: node, timeouts: timeouts)
        let connections = Connections(limits: limits, log: log)
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await streams.run() }
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }
                await streams.close()
            }
            try await withThrowingDiscardingTaskGroup { group in
                for listener in listeners { group.addTask { try await serve(listener, streams, connections) } }
            }
            // The servers have ended, and with them all streams: their updates end too.
            group.cancelAll()
        }
    }

    /// Serves at one address until graceful shutdown.
    ///
    /// If the port is taken, or the machine does not have the address yet or cannot resolve its name, it logs a warning
    /// and retries. The node works without its page meanwhile.
    private func serve(_ listener: HTTPListener, _ streams: EventStreams, _ connections: Connections) async throws {
        var logged: String?
        while true {
            do {
                return try await application(listener, streams, connections).run()
            } catch {
                guard let reason = Self.reasonToRetry(error) else { throw error }
                if reason != logged {
                    log.warning(
                        "the pages cannot be served yet",
                        metadata: ["address": "\(listener.address)", "reason": "\(reason)"])
                    let setting = listener.encryption == nil ? "LOCKSTEP_HTTP" : "LOCKSTEP_HTTPS"
                    await node.note(
                        ProblemReport(
                            .noPage, "the pages are not served at \(listener.address): \(reason)",
                            fix: "correct \(setting), and restart the node; it goes on trying meanwhile"),
                        ofPageAt: listener.address)
                }
                logged = reason
            }
            // The sleep throws only at shutdown.
            guard (try? await cancelWhenGracefulShutdown { try await Task.sleep(for: timeouts.bind) }) != nil else {
                return
            }
        }
    }

    /// Returns the text of an error of listening that may pass; `nil` for other errors.
    private static func reasonToRetry(_ error: any Error) -> String? {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE: "another program listens there"
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL: "it is no address of this machine"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case is SocketAddressError, is SocketAddressError.UnknownHost: "the name has no address"
        default: nil
        }
    }

    private func application(
        _ listener: HTTPListener, _ streams: EventStreams, _ connections: Connections
    ) throws -> some ApplicationProtocol {
        var quiet = log
        quiet.logLevel = max(log.logLevel, .warning)
        var auth = auth
        auth.isSecure = listener.encryption != nil
        let router = Self.router(
            node: node, streams: streams, kiosk: kiosk, screen: screen, auth: auth, timeouts: timeouts,
            authority: { [listeners] in listeners.lazy.compactMap(\.encryption?.authority).first }, calendar: calendar)
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [
                    ConnectionGate(
                        connections, bodyTimeout: TimeAmount(timeouts.body), isEncrypted: listener.encryption != nil),
                    SafeHeaders(),
                ],
                idleTimeout: TimeAmount(timeouts.idle),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: Limits.payloadBytes, maxHeaderListSize: Limits.payloadBytes,
                    maxHeaderFieldCount: 100)))
        return Application(
            router: router,
            server: try listener.encryption.map { try $0.encrypt(plain) } ?? plain,
            configuration: .init(
                address: .hostname(listener.host, port: listener.port),
                // 64 more: a refused connection also has a descriptor until it is closed.
                availableConnectionsDelegate: .maximum(limits.total + 64, logger: quiet)),
            onServerRunning: { [log, node] _ in
                await node.note(nil, ofPageAt: listener.address)
                let scheme = listener.encryption == nil ? "http" : "https"
                log.info("the kiosk page is served", metadata: ["address": "\(scheme)://\(listener.address)/"])
            },
            logger: quiet
        )
    }
}
