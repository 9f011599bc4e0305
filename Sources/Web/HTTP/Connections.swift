// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Platform
import Synchronization

/// The largest numbers of open connections.
struct ConnectionLimits: Hashable, Sendable {
    /// Two connections per page, for its events and for its presses, and 64 for programs.
    private static let usefulTotal = 2 * EventStreams.limit + 64
    /// The file descriptors that the node needs for everything else.
    private static let filesForOthers = 256

    var total: Int
    /// The part of ``total`` that is reserved for connections from this machine.
    var reservedForLocal: Int
    /// The limit for one address of another machine. A browser opens at most six to a node.
    var perAddress = 64

    init(openFiles: Int) {
        total = min(Self.usefulTotal, max(openFiles - Self.filesForOthers, openFiles / 4))
        reservedForLocal = min(64, total / 8)
    }
}

/// The counter of the HTTP server's open connections, which refuses those above its limits.
///
/// Any host on the network can open connections without a key. The limits leave the node enough file descriptors for
/// its journal, its control socket and its hooks, and reserve connections for programs and displays of this machine.
/// An IPv6 host may have many addresses; the total for all other machines bounds it.
final class Connections: Sendable {
    /// The numbers of open connections.
    private struct State {
        var total = 0
        /// The largest ``total`` since memory was last returned.
        var peak = 0
        var remote: [String: Int] = [:]
        var remoteTotal = 0
        var limiter = RateLimiter()
    }

    private let limits: ConnectionLimits
    private let log: Logger
    private let state = Mutex(State())

    init(limits: ConnectionLimits, log: Logger) {
        self.limits = limits
        self.log = log
    }

    /// Counts a connection if the limits allow it.
    ///
    /// - Returns: Whether it is admitted. The caller must call ``close(_:)`` once for each admitted connection.
    func open(_ address: SocketAddress?) -> Bool {
        let isAdmitted = state.withLock { state in
            guard state.total < limits.total else { return false }
            if let remote = Self.remote(address) {
                let isFull = state.remoteTotal >= limits.total - limits.reservedForLocal
                if isFull || state.remote[remote, default: 0] >= limits.perAddress { return false }
                state.remote[remote, default: 0] += 1
                state.remoteTotal += 1
            }
            state.total += 1
            state.peak = max(state.peak, state.total)
            return true
        }
        if !isAdmitted { logRefusal(of: address) }
        return isAdmitted
    }

    /// Counts the end of a connection.
    ///
    /// - Returns: Whether half of many connections have ended, so that the caller should return their memory to the
    ///   system. A connection over TLS takes 30 kB, even before its first request.
    func close(_ address: SocketAddress?) -> Bool {
        state.withLock { state in
            state.total -= 1
            if let remote = Self.remote(address), let count = state.remote[remote] {
                state.remote[remote] = count > 1 ? count - 1 : nil
                state.remoteTotal -= 1
            }
            guard state.peak >= 64, state.total <= state.peak / 2 else { return false }
            state.peak = state.total
            return true
        }
    }

    /// Returns the address of another machine; `nil` for this machine.
    private static func remote(_ address: SocketAddress?) -> String? {
        address?.isLoopback == true ? nil : address?.ipAddress ?? "unknown"
    }

    /// Logs a refusal, at most one per minute, so that another host cannot fill the log.
    private func logRefusal(of address: SocketAddress?) {
        let suppressed = state.withLock { $0.limiter.admit(at: SystemClock.bootMilliseconds()) }
        guard let suppressed else { return }
        log.warning(
            "HTTP connection refused: too many are open",
            metadata: [
                "address": "\(address?.ipAddress ?? "unknown")", "perAddress": "\(limits.perAddress)",
                "total": "\(limits.total)", "repeated": "\(suppressed)",
            ])
    }
}

/// A channel handler that closes a connection if ``Connections`` does not admit it. It also does if an answered
/// request does not end. It adds the handlers that belong before it: ``LastRequest`` and ``PlainRequestRefusal``.
final class ConnectionGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    /// The timeout for the rest of a request that was answered before its end.
    private let bodyTimeout: TimeAmount
    private let isEncrypted: Bool
    private var requests = 0
    private var isReadingRequest = false

    init(_ connections: Connections, bodyTimeout: TimeAmount, isEncrypted: Bool) {
        self.connections = connections
        self.isEncrypted = isEncrypted
        self.bodyTimeout = bodyTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            let pipeline = context.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(LastRequest(), position: .after(decoder))
            if isEncrypted { try pipeline.addHandler(PlainRequestRefusal(), position: .first) }
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        let address = context.remoteAddress
        guard connections.open(address) else { return context.close(promise: nil) }
        context.channel.closeFuture.whenComplete { [connections, loop = context.eventLoop] _ in
            // After five seconds the buffers of the connections are free.
            if connections.close(address) { loop.scheduleTask(in: .seconds(5)) { Memory.trim() } }
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: (requests, isReadingRequest) = (requests + 1, true)
        case .body: break
        case .end: isReadingRequest = false
        }
        context.fireChannelRead(data)
    }

    /// Starts ``bodyTimeout`` if a request is answered before its end. Otherwise a refused client could hold its
    /// connection with single bytes of a long body.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), isReadingRequest {
            let (channel, answered) = (context.channel, requests)
            let gate = NIOLoopBound(self, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: bodyTimeout) {
                if gate.value.isReadingRequest, gate.value.requests == answered { channel.close(promise: nil) }
            }
        }
        context.write(data, promise: promise)
    }
}

extension SocketAddress {
    /// Whether the address is this machine's: on the loopback interface or a Unix socket.
    var isLoopback: Bool { ipAddress.map(HostText.isLoopback) ?? true }
}
