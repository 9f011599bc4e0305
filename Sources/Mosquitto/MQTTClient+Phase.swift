// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform

extension MQTTClient {
    /// The state of the connection.
    enum Phase {
        case idle
        /// Between attempts, until the phase timer fires or, with too many lingering connectors, one of them ends.
        case waiting
        /// A connector's thread owns the handle.
        case connecting(Attempt)
        /// TCP is connected, until the server accepts or refuses, or the phase timer fires.
        case opening(Link)
        case connected(Link)
        /// A close was requested, until all messages are acknowledged or the phase timer fires.
        case draining(Link)
        /// A DISCONNECT is queued, until it is written or the phase timer fires.
        case leaving(Link)
        case closed
    }

    /// One attempt to connect.
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
        /// When the server accepted, in boot milliseconds.
        var since: Int64 = 0
        /// When ``MQTTClient/tick()`` last ran, in boot milliseconds.
        var lastTick: Int64 = 0
        /// The reason of a CONNACK that refused the connection.
        var refusal: Int32?
        /// The first reason of the end: an MQTT reason from 128 up, else a library code.
        var end: Int32?
        /// Calls ``MQTTClient/writeOut(_:)``.
        let writeOut: @Sendable () -> Void
        var isWriteDue = false
        /// Whether `TCP_QUICKACK` must be set again because data was read since it was last set.
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

    var link: Link? {
        switch phase {
        case .opening(let link), .connected(let link), .draining(let link), .leaving(let link): link
        case .idle, .waiting, .connecting, .closed: nil
        }
    }

    var isOpening: Bool {
        if case .opening = phase { true } else { false }
    }

    func isCurrent(_ candidate: Link) -> Bool { link === candidate }

    func phaseTimerFired() {
        switch phase {
        case .waiting:
            attempt()
        case .connecting:
            let limit = configuration.connectTimeoutMilliseconds
            let endpoint = "\(currentEndpoint.host):\(currentEndpoint.port)"
            ended(MQTTError(.unreachable, reason: Int(ETIMEDOUT), "cannot connect to \(endpoint) within \(limit) ms"))
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

    /// Releases the handle and the descriptor, or abandons the connector that owns them.
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

    /// Ends the attempt or the connection, reports it, and schedules the next attempt unless `giveUp` ends the client.
    ///
    /// - Parameter wait: The milliseconds until the next attempt, instead of the back-off.
    func ended(_ error: MQTTError, wait: Int64? = nil) {
        let now = SystemClock.bootMilliseconds()
        let wasConnected = link?.connection != nil
        if let link, wasConnected { backoff.noteEnd(afterMilliseconds: now - link.since) }
        tearDown()
        var error = error
        if !wasConnected {
            // The endpoint of a lost connection is tried first, and after a failure the next one, without a pause.
            endpointIndex = (endpointIndex + 1) % configuration.endpoints.count
            failures.append(error)
            if endpointIndex != 0 {
                phaseTimer?.arm(atBootMilliseconds: now)
                return
            }
            error = Self.combined(failures)
        }
        failures = []
        let requests = pending.takeAll()
        if configuration.giveUp(error) {
            fail(requests, Self.lost(by: error))
            deliver(.disconnected(error, retryInMilliseconds: nil))
            finish(.failure(error))
            return
        }
        let spread = Int64.random(in: 0...max(0, configuration.spreadMilliseconds()))
        let wait = wait ?? backoff.next(longest: error.isLasting) + spread
        phaseTimer?.arm(atBootMilliseconds: now + wait)
        fail(requests, Self.lost(by: error))
        deliver(.disconnected(error, retryInMilliseconds: wait))
    }

    /// Returns the error of a round of attempts: the first lasting one, else the first, with the reasons of all.
    private static func combined(_ failures: [MQTTError]) -> MQTTError {
        let chosen = failures.first(where: \.isLasting) ?? failures[0]
        guard failures.count > 1 else { return chosen }
        return MQTTError(
            chosen.code, reason: chosen.reason, failures.map(\.description).joined(separator: "; "))
    }

    static func lost(by error: MQTTError) -> MQTTError {
        MQTTError(
            .connectionLost, reason: error.reason,
            "the connection ended before the server answered: \(error.description)")
    }

    func finish(_ result: Result<Void, MQTTError>) {
        tearDown()
        phase = .closed
        phaseTimer = nil
        tickTimer = nil
        deadlineTimer = nil
        fail(pending.takeAll(), .closed)
        // Break the reference cycle: the handler usually captures the owner of the client.
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
            phaseTimer?.arm(atBootMilliseconds: SystemClock.bootMilliseconds() + max(0, deadlineMilliseconds))
            leaveIfDrained()
        case .draining, .leaving, .closed:
            break
        }
    }

    func leaveIfDrained() {
        guard case .draining(let link) = phase, !pending.hasPublishes else { return }
        leave(link)
    }

    private func leave(_ link: Link) {
        phase = .leaving(link)
        // Wait at most 500 ms for a full socket to accept the DISCONNECT.
        phaseTimer?.arm(atBootMilliseconds: SystemClock.bootMilliseconds() + 500)
        fail(pending.takeAll(), .closed)
        link.handle.disconnect()
        if link.handle.write() != 0 || link.handle.socket < 0 {
            finish(.success(()))
        } else {
            updateInterest(link)
        }
    }
}
