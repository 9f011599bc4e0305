// SPDX-License-Identifier: Apache-2.0

import Glibc

extension MQTTClient {
    /// Where the client is between its making and its end.
    enum Phase {
        case idle
        /// Until the phase timer fires, or, with too many lingering connectors, until one of them is gone.
        case waiting
        /// The handle belongs to the connector's thread.
        case connecting(Attempt)
        /// Until the server accepts or refuses, or the phase timer fires.
        case opening(Link)
        case connected(Link)
        /// A close was asked for: until all messages are answered, or the phase timer fires.
        case draining(Link)
        /// The DISCONNECT is on its way: until it is written, or the phase timer fires.
        case leaving(Link)
        case closed
    }

    struct Attempt {
        let number: Int
        let handle: Handle
        let connector: Connector
    }

    /// An open TCP connection and its handle.
    final class Link {
        let number: Int
        let handle: Handle
        let descriptor: Int32
        let token: UInt64
        var interest: Poll.Interest = .read
        var connection: Connection?
        /// When the server accepted, in milliseconds on the boot clock.
        var since: Int64 = 0
        var lastTick: Int64 = 0
        /// The CONNACK's reason, when it was a refusal.
        var refusal: Int32?
        /// What the library first told of the end: an MQTT reason from 128 up, else one of its own codes.
        var end: Int32?
        /// Calls ``MQTTClient/writeOut(_:)``.
        let writeOut: @Sendable () -> Void
        /// Whether it is queued.
        var isWriteDue = false
        /// Whether something was read that nothing has been written behind.
        var isReadUnacknowledged = true

        init(
            number: Int, handle: Handle, descriptor: Int32, token: UInt64, writeOut: @escaping @Sendable () -> Void
        ) {
            self.number = number
            self.handle = handle
            self.descriptor = descriptor
            self.token = token
            self.writeOut = writeOut
        }
    }

    /// The link of the current phase.
    var link: Link? {
        switch phase {
        case .opening(let link), .connected(let link), .draining(let link), .leaving(let link): link
        case .idle, .waiting, .connecting, .closed: nil
        }
    }

    var isOpening: Bool {
        if case .opening = phase { true } else { false }
    }

    func isCurrent(_ other: Link) -> Bool { link === other }

    func phaseTimerFired() {
        switch phase {
        case .waiting:
            attempt()
        case .connecting:
            let limit = configuration.connectTimeoutMilliseconds
            let place = "\(configuration.host):\(configuration.effectivePort)"
            ended(MQTTError(.unreachable, reason: Int(ETIMEDOUT), "cannot connect to \(place) within \(limit) ms"))
        case .opening:
            let limit = configuration.connectTimeoutMilliseconds
            ended(MQTTError(.timeout, "the server has not accepted the connection within \(limit) ms"))
        case .draining(let link):
            leave(link)
        case .leaving:
            finish(.success(()))
        case .idle, .connected, .closed:
            break
        }
    }

    /// Lets go of the handle and the descriptor, whoever has them.
    func tearDown() {
        phaseTimer?.disarm()
        tickTimer?.disarm()
        if case .connecting(let attempt) = phase {
            if attempt.connector.abandon() {
                attempt.handle.destroy()
            } else {
                lingering += 1
            }
        }
        if let link {
            loop.poll.remove(link.descriptor, link.token)
            link.handle.destroy()
        }
        phase = .waiting
    }

    /// The attempt or the connection is over: tells it, and sets the time of the next attempt.
    /// - Parameter wait: Milliseconds until then, in place of the usual ones.
    func ended(_ error: MQTTError, wait: Int64? = nil) {
        let now = EventLoop.bootMilliseconds()
        if let link, link.connection != nil { backoff.connectionEnded(afterMilliseconds: now - link.since) }
        tearDown()
        let requests = outbox.takeAll()
        if configuration.giveUp(error) {
            fail(requests, Self.lost(by: error))
            deliver(.disconnected(error, retryInMilliseconds: nil))
            finish(.failure(error))
            return
        }
        let wait = wait ?? backoff.next(longest: error.isLasting)
        phaseTimer?.arm(atBootMilliseconds: now + wait)
        fail(requests, Self.lost(by: error))
        deliver(.disconnected(error, retryInMilliseconds: wait))
    }

    static func lost(by error: MQTTError) -> MQTTError {
        MQTTError(.connectionLost, reason: error.reason, "no answer any more: \(error.description)")
    }

    func finish(_ result: Result<Void, MQTTError>) {
        tearDown()
        phase = .closed
        phaseTimer = nil
        tickTimer = nil
        deadlineTimer = nil
        fail(outbox.takeAll(), .closed)
        events.buffer.end()
        // It mostly holds what holds the client.
        handler = nil
        running?.resume(returning: result)
        running = nil
        for continuation in closing { continuation.resume() }
        closing = []
    }

    // MARK: Closing

    func beginClose(deadlineMilliseconds: Int64) {
        switch phase {
        case .idle, .waiting, .connecting, .opening:
            finish(.success(()))
        case .connected(let link):
            phase = .draining(link)
            phaseTimer?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + max(0, deadlineMilliseconds))
            leaveIfDrained()
        case .draining, .leaving, .closed:
            break
        }
    }

    func leaveIfDrained() {
        guard case .draining(let link) = phase, !outbox.hasPublishes else { return }
        leave(link)
    }

    private func leave(_ link: Link) {
        phase = .leaving(link)
        // One more write may have to wait until the connection takes it, but not for long.
        phaseTimer?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + 500)
        fail(outbox.takeAll(), .closed)
        link.handle.disconnect()
        if link.handle.write() != 0 || link.handle.socket < 0 {
            finish(.success(()))
        } else {
            updateInterest(link)
        }
    }
}
