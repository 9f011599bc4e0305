// SPDX-License-Identifier: Apache-2.0

package import API
import Glibc
import Hummingbird
package import Logging
import Platform
import ServiceLifecycle

/// The HTTP API of a node on a Unix socket, for programs of its user or group.
package struct ControlServer: Service {
    private let node: any NodeAccess
    private let path: String
    private let mode: mode_t
    private let kiosk: KioskReport
    private let screen: OwnScreen
    private let phones: PairedPhones?
    private let log: Logger
    private let onReady: @Sendable () async -> Void

    /// Creates a server. It does not listen before ``run()``.
    /// - Parameter isForGroup: Whether the process's group may use the socket (mode 0660), or its user alone (0600).
    package init(
        node: any NodeAccess, path: String, isForGroup: Bool = false, kiosk: KioskReport,
        screen: OwnScreen = OwnScreen(), phones: PairedPhones? = nil, log: Logger,
        onReady: @escaping @Sendable () async -> Void = {}
    ) throws(ControlError) {
        self.node = node
        self.path = path
        mode = isForGroup ? 0o660 : 0o600
        self.kiosk = kiosk
        self.screen = screen
        self.phones = phones
        self.log = log
        self.onReady = onReady
        guard path.utf8.count <= UnixSocket.pathLimit else { throw .pathTooLong(path) }
        if UnixSocket.isServed(path) { throw .taken(path) }
        var found = stat()
        if lstat(path, &found) == 0, found.st_mode & S_IFMT != S_IFSOCK { throw .notASocket(path) }
    }

    /// Serves until graceful shutdown, then removes the socket.
    package func run() async throws {
        var quiet = log
        quiet.logLevel = max(log.logLevel, .warning)
        let router = Router(context: WebContext.self)
        let notFound = NotFoundMiddleware()
        router.add(middleware: SocketAccess())
        router.add(middleware: notFound)
        APIRoutes(node: node).addRoutes(to: Routes(router: router))
        router.get("/v1/kiosk") { [kiosk, screen] _, _ in
            var report = kiosk
            report.isShown = screen.isShown
            return Response.json(report.encoded)
        }
        if let phones { PhoneRoutes(phones: phones).addControlRoutes(to: router) }
        notFound.setRoutes(of: router)
        let application = Application(
            router: router,
            configuration: .init(address: .unixDomainSocket(path: path)),
            onServerRunning: { [path, mode, onReady] _ in
                chmod(path, mode)
                await onReady()
            },
            logger: quiet
        )
        defer { unlink(path) }
        try await application.run()
    }
}

/// Gives every request full access: the mode of the socket's file has admitted it.
private struct SocketAccess: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        (context.access, context.isLocal) = (.control, true)
        return try await next(request, context)
    }
}
