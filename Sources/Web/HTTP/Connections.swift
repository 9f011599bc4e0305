// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Counts the open connections of the HTTP server and refuses those above its limits.
///
/// Anybody on the network can open connections without a key. The limits leave the node enough files for its journal, its
/// control socket and its hooks, and leave programs and displays of this machine connections of their own. An IPv6 host may
/// have many addresses; the limit for all other machines together bounds it.
final class Connections: Sendable {
    /// How many connections there may be.
    struct Limits: Hashable, Sendable {
        /// Pages hold one connection each for their events and one for their presses; the rest is for programs.
        private static let useful = 2 * Displays.most + 64
        /// Files that the node needs for all else.
        private static let filesForOthers = 256

        /// All together.
        var total: Int
        /// Of these, the part that only connections from this machine get.
        var keptForLocal: Int
        /// From one address of another machine. A browser opens six for all its pages of a node.
        var perAddress = 64

        /// Derives the limits from the number of files that the process may have open.
        init(openFiles: Int) {
            total = min(Self.useful, max(openFiles - Self.filesForOthers, openFiles / 4))
            keptForLocal = min(64, total / 8)
        }
    }

    private struct State {
        var total = 0
        var remote: [String: Int] = [:]
        var remoteTotal = 0
        var saidAt: ContinuousClock.Instant?
    }

    private let limits: Limits
    private let log: Logger
    private let state = Mutex(State())

    init(limits: Limits, log: Logger) {
        self.limits = limits
        self.log = log
    }

    /// Counts a connection from an address if the limits allow it. Each that is admitted MUST be given back by ``close(_:)``.
    func open(_ address: SocketAddress?) -> Bool {
        let isAdmitted = state.withLock { state in
            guard state.total < limits.total else { return false }
            if let remote = Self.remote(address) {
                let isFull = state.remoteTotal >= limits.total - limits.keptForLocal
                if isFull || state.remote[remote, default: 0] >= limits.perAddress { return false }
                state.remote[remote, default: 0] += 1
                state.remoteTotal += 1
            }
            state.total += 1
            return true
        }
        if !isAdmitted { tell(of: address) }
        return isAdmitted
    }

    func close(_ address: SocketAddress?) {
        state.withLock { state in
            state.total -= 1
            guard let remote = Self.remote(address), let count = state.remote[remote] else { return }
            state.remote[remote] = count > 1 ? count - 1 : nil
            state.remoteTotal -= 1
        }
    }

    /// The address of another machine; `nil` for this one.
    private static func remote(_ address: SocketAddress?) -> String? {
        address?.isLoopback == true ? nil : address?.ipAddress ?? "unknown"
    }

    /// Logs a refusal, at most one a minute: a stranger cannot fill the log.
    private func tell(of address: SocketAddress?) {
        let isDue = state.withLock { state in
            let now = ContinuousClock.now
            if let saidAt = state.saidAt, now - saidAt < .seconds(60) { return false }
            state.saidAt = now
            return true
        }
        guard isDue else { return }
        log.warning(
            "an HTTP connection was refused: too many are open",
            metadata: [
                "address": "\(address?.ipAddress ?? "unknown")", "perAddress": "\(limits.perAddress)",
                "total": "\(limits.total)",
            ])
    }
}

/// Closes a connection at its beginning if ``Connections`` does not admit it.
final class ConnectionGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let connections: Connections

    init(_ connections: Connections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        let address = context.remoteAddress
        guard connections.open(address) else { return context.close(promise: nil) }
        context.channel.closeFuture.whenComplete { [connections] _ in connections.close(address) }
        context.fireChannelActive()
    }
}

extension SocketAddress {
    /// Whether this machine talks to itself: over its loopback interface, or over a Unix socket.
    var isLoopback: Bool {
        guard let text = ipAddress else { return true }
        return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
    }
}
