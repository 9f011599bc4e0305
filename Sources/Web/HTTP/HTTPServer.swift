// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hummingbird
public import Logging
import NIOCore
public import ServiceLifecycle
import Session
public import Wire

/// The HTTP API and the kiosk page of a node on a TCP port.
public struct HTTPServer: Service {
    private let node: any NodeAccess
    private let host: String
    private let port: Int
    private let kiosk: KioskReport
    private let gate: Gate
    private let log: Logger
    var patience = Patience()
    var limits: Connections.Limits

    /// Makes a server, which listens from ``run()`` on.
    /// - Parameters:
    ///   - node: What it serves.
    ///   - host: The address to listen on.
    ///   - port: The port, 1 to 65,535.
    ///   - hosts: Names of this machine in lower case, besides its addresses.
    ///   - givenHosts: Further names, as a proxy's: whoever asks by one of them needs a key, wherever it is.
    ///   - openFiles: How many files this process may have open; the number of connections depends on it.
    ///   - kiosk: The same with the keys that open it to other machines.
    ///   - log: Where it says what happens.
    public init(
        node: any NodeAccess, host: String, port: Int, hosts: Set<String>, givenHosts: Set<String> = [],
        openFiles: Int, kiosk: KioskReport, log: Logger
    ) {
        self.node = node
        self.host = host
        self.port = port
        self.kiosk = kiosk
        gate = Gate(
            keys: HTTPKeys(kiosk), hosts: hosts.union(["localhost"]), givenHosts: givenHosts,
            needsLocalKey: kiosk.needsLocalKey == true)
        limits = Connections.Limits(openFiles: openFiles)
        self.log = log
    }

    static func router(
        node: any NodeAccess, displays: Displays, kiosk: KioskReport, gate: Gate, patience: Patience = Patience()
    ) -> Router<WebContext> {
        let router = Router(context: WebContext.self, options: .autoGenerateHeadEndpoints)
        let signpost = Signpost()
        router.add(middleware: gate)
        router.add(middleware: signpost)
        router.add(middleware: OwnPages())
        API(node: node, patience: patience.body).addRoutes(to: router)
        PageRoutes(node: node, displays: displays, kiosk: kiosk).addRoutes(to: router)
        WidgetRoutes(node: node).addRoutes(to: router)
        WeekRoutes(node: node).addRoutes(to: router)
        signpost.learn(router)
        return router
    }

    /// Serves until graceful shutdown. An address that cannot be listened on, because its port is taken or the machine has
    /// no such address yet, is said in the log and tried again: the session goes on without a page.
    public func run() async throws {
        // It fails only by the end.
        guard (try? await cancelWhenGracefulShutdown { try await waitUntilFree() }) != nil else { return }
        try await serve()
    }

    private func waitUntilFree() async throws {
        var said: String?
        while let reason = whyNotFree() {
            if reason != said {
                log.warning(
                    "the kiosk page cannot be served yet: is the port taken, or the address another machine's?",
                    metadata: ["address": "\(host):\(port)", "reason": "\(reason)"])
            }
            said = reason
            try await Task.sleep(for: patience.bind)
        }
    }

    /// Binds and does not listen: who comes in between is to be refused, and not to find somebody who never answers.
    private func whyNotFree() -> String? {
        do {
            let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
            let probe = socket(address.protocol == .inet6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(probe) }
            var on: Int32 = 1
            setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            let code = address.withSockAddr { bind(probe, $0, socklen_t($1)) }
            return code == 0 ? nil : String(cString: strerror(errno))
        } catch {
            return "\(error)"
        }
    }

    private func serve() async throws {
        var quiet = log
        quiet.logLevel = max(log.logLevel, .warning)
        let displays = Displays(node: node, patience: patience)
        let router = Self.router(node: node, displays: displays, kiosk: kiosk, gate: gate, patience: patience)
        let connections = Connections(limits: limits, log: log)
        let application = Application(
            router: router,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: [ConnectionGate(connections), SafeHeaders()],
                    idleTimeout: TimeAmount(patience.idle),
                    httpDecoderConfiguration: .init(
                        maxHeaderFieldSize: Limits.payloadBytes, maxHeaderListSize: Limits.payloadBytes,
                        maxHeaderFieldCount: 100))),
            configuration: .init(
                address: .hostname(host, port: port),
                // A connection that is refused has a file, too, until it is closed.
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
            // Ends when the streams of the displays have.
            try await application.run()
            group.cancelAll()
        }
    }
}
