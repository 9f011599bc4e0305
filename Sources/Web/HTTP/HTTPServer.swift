// SPDX-License-Identifier: Apache-2.0

public import Control
import Glibc
import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle
import Session
import Wire

/// The HTTP API and the kiosk page of a node on a TCP port.
public struct HTTPServer: Service {
    private let node: any NodeAccess
    private let host: String
    private let port: Int
    private let kiosk: KioskReport
    private let auth: AuthMiddleware
    private let log: Logger
    var timeouts = Timeouts()
    var limits: Connections.Limits

    /// Creates a server. It does not listen before ``run()``.
    /// - Parameters:
    ///   - node: The node to serve.
    ///   - host: The address to listen on.
    ///   - port: The port, 1...65535.
    ///   - hosts: The names of this machine in lower case, besides its addresses.
    ///   - givenHosts: Further host names in lower case, such as a proxy's. Requests for them always need a key.
    ///   - openFiles: The process's limit of open files, from which the limits on connections are derived.
    ///   - kiosk: The address of the page and the shared keys for other machines.
    ///   - phones: The phones with a key of their own.
    ///   - log: The logger; requests are not logged.
    public init(
        node: any NodeAccess, host: String, port: Int, hosts: Set<String>, givenHosts: Set<String> = [],
        openFiles: Int, kiosk: KioskReport, phones: PairedPhones, log: Logger
    ) {
        self.node = node
        self.host = host
        self.port = port
        self.kiosk = kiosk
        auth = AuthMiddleware(
            keys: HTTPKeys(kiosk), phones: phones, hosts: hosts.union(["localhost"]), givenHosts: givenHosts,
            needsLocalKey: kiosk.needsLocalKey == true)
        limits = Connections.Limits(openFiles: openFiles)
        self.log = log
    }

    static func router(
        node: any NodeAccess, displays: Displays, kiosk: KioskReport, auth: AuthMiddleware,
        timeouts: Timeouts = Timeouts()
    ) -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        let notFound = NotFoundMiddleware()
        router.add(middleware: auth)
        router.add(middleware: notFound)
        router.add(middleware: SameOriginMiddleware())
        API(node: node, bodyTimeout: timeouts.body).addRoutes(to: router)
        PageRoutes(node: node, displays: displays, kiosk: kiosk).addRoutes(to: router)
        WidgetRoutes(node: node).addRoutes(to: router)
        WeekRoutes(node: node).addRoutes(to: router)
        RemoteRoutes(node: node).addRoutes(to: router)
        PhoneRoutes(phones: auth.phones).addRoutes(to: router)
        notFound.setRoutes(of: router)
        return router
    }

    /// Serves until graceful shutdown.
    ///
    /// If the port is taken, or the machine does not have the address yet, it logs a warning and retries. The node works
    /// without its page meanwhile.
    public func run() async throws {
        var logged: String?
        while true {
            do {
                return try await serve()
            } catch let error as IOError {
                let reason = String(cString: strerror(error.errnoCode))
                if reason != logged {
                    log.warning(
                        "the kiosk page cannot be served yet: is the port taken, or the address another machine's?",
                        metadata: ["address": "\(host):\(port)", "reason": "\(reason)"])
                }
                logged = reason
            }
            // It throws only at shutdown.
            guard (try? await cancelWhenGracefulShutdown { try await Task.sleep(for: timeouts.bind) }) != nil else {
                return
            }
        }
    }

    private func serve() async throws {
        var quiet = log
        quiet.logLevel = max(log.logLevel, .warning)
        let displays = Displays(node: node, timeouts: timeouts)
        let router = Self.router(node: node, displays: displays, kiosk: kiosk, auth: auth, timeouts: timeouts)
        let connections = Connections(limits: limits, log: log)
        let application = Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGate(connections), SafeHeaders()],
                    idleTimeout: TimeAmount(timeouts.idle),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: Limits.payloadBytes, maxHeaderListSize: Limits.payloadBytes,
                        maxHeaderFieldCount: 100))),
            configuration: .init(
                address: .hostname(host, port: port),
                // 64 more: a refused connection also has a descriptor until it is closed.
                availableConnectionsDelegate: .maximum(limits.total + 64, logger: quiet)),
            onServerRunning: { [log, host, port] _ in
                log.info("the kiosk page is served", metadata: ["address": "http://\(host):\(port)/"])
            },
            logger: quiet
        )
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await displays.run() }
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }
                await displays.close()
            }
            // Returns after the event streams have ended.
            try await application.run()
            group.cancelAll()
        }
    }
}
