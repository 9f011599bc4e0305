// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import Platform

extension MQTTClient {
    /// The limit of abandoned connectors. A connect to a silent network blocks for minutes, and a new one succeeds
    /// sooner once the network is back, but their threads must not pile up.
    private var lingeringLimit: Int { 4 * configuration.endpoints.count }

    /// Starts one attempt to connect, or waits until an abandoned connector ends if there are too many.
    func attempt() {
        guard lingering < lingeringLimit else {
            isAttemptDue = true
            return
        }
        isAttemptDue = false
        attempts += 1
        let number = attempts
        let version: MQTTVersion = configuration.version == .v311 || fallsBack ? .v311 : .v5
        fallsBack = false
        let will = configuration.makeWill?(number)
        // `makeWill` is code of the caller, which may have closed or paused this client.
        guard case .waiting = phase else { return }
        do throws(MQTTError) {
            if let will {
                try will.check()
                guard will.payload.count <= 65535 else { throw MQTTError(.tooLarge, "the will is over 65535 bytes") }
            }
            let handle = try Handle(configuration, version, will: will)
            let connector = Connector()
            phase = .connecting(Attempt(number: number, handle: handle, connector: connector))
            let now = SystemClock.bootMilliseconds()
            phaseTimer?.arm(atBootMilliseconds: now + configuration.connectTimeoutMilliseconds)
            do throws(MQTTError) {
                try connector.start(
                    handle,
                    configuration,
                    to: currentEndpoint,
                    on: loop,
                    finished: { [weak self] code, error in
                        // If the client is gone, its teardown has abandoned the connector or destroyed the handle.
                        self?.assumeIsolated { $0.connectorFinished(number, code, error) }
                    },
                    ended: { [weak self] in self?.assumeIsolated { $0.lingeringConnectorEnded() } }
                )
            } catch {
                handle.destroy()
                phase = .waiting
                throw error
            }
        } catch {
            ended(error)
        }
    }

    var currentEndpoint: MQTTConfiguration.Endpoint { configuration.endpoints[endpointIndex] }

    private func lingeringConnectorEnded() {
        lingering -= 1
        if case .waiting = phase, isAttemptDue { attempt() }
    }

    private func connectorFinished(_ number: Int, _ code: Int32, _ error: Int32) {
        guard case .connecting(let attempt) = phase, attempt.number == number else { return }
        let handle = attempt.handle
        guard code == 0 else {
            var failure = MQTTError.connect(code, error, host: currentEndpoint.host, port: currentEndpoint.port)
            if let words = handle.inbox.tlsReasons, configuration.tls != nil { failure = Self.tlsFailure(words) }
            // The connector is done, so teardown destroys the handle.
            ended(failure)
            return
        }
        let descriptor = handle.socket
        // The library does not set it: child processes would inherit the descriptor.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let token: UInt64
        do throws(MQTTError) {
            token = try loop.poll.watch(descriptor, .read) { [weak self] ready in
                self?.assumeIsolated { $0.ready(number, ready) }
            }
        } catch {
            ended(error)
            return
        }
        let link = Link(number: number, handle: handle, descriptor: descriptor, token: token) { [weak self] in
            self?.assumeIsolated { $0.writeOut(number) }
        }
        phase = .opening(link)
        quickAcknowledge(link)
        // The TLS handshake may be complete already: read before the first write.
        ready(number, Poll.Ready(token: token, writable: true, readable: configuration.tls != nil))
    }

    func accepted(_ link: Link) {
        guard case .opening = phase else { return }
        let now = SystemClock.bootMilliseconds()
        let connection = Connection(number: link.number, version: link.handle.version)
        link.connection = connection
        link.since = now
        link.lastTick = now
        link.handle.stopLog()
        phase = .connected(link)
        phaseTimer?.disarm()
        tickTimer?.arm(atBootMilliseconds: now + 1000)
        deliver(.connected(connection))
    }

    /// Handles the end of a connection that the library has closed or reported as broken.
    func lost(_ link: Link, _ code: Int32) {
        switch phase {
        case .draining, .leaving:
            fail(pending.takeAll(), Self.lost(by: .lost(code)))
            finish(.success(()))
            return
        default:
            break
        }
        let tlsReasons = configuration.tls == nil ? nil : link.handle.inbox.tlsReasons
        if isOpening, canFallBack(link, tlsReasons) {
            tearDown()
            fallsBack = true
            attempt()
            return
        }
        ended(reason(for: link, code, tlsReasons))
    }

    private func reason(for link: Link, _ code: Int32, _ tlsReasons: String?) -> MQTTError {
        if let refusal = link.refusal { return .connack(refusal, link.handle.version) }
        if let end = link.end, end >= 128 { return .disconnect(end) }
        if isOpening {
            if let tlsReasons { return Self.tlsFailure(tlsReasons) }
            let error = MQTTError.lost(code)
            guard error.code == .connectionLost else { return error }
            let words = "the server closed the connection without an answer"
            let hasNoCertificate = configuration.tls.map { $0.certificateFile == nil } ?? false
            return MQTTError(.connectionLost, hasNoCertificate ? "\(words) (it may want a client certificate)" : words)
        }
        if let end = link.end, end > 0 { return .lost(end) }
        return .lost(code)
    }

    /// Returns whether to try 3.1.1. A server without MQTT 5 refuses, hangs up, or sends what the library cannot parse.
    private func canFallBack(_ link: Link, _ tlsReasons: String?) -> Bool {
        guard configuration.version == .automatic, link.handle.version == .v5 else { return false }
        if let refusal = link.refusal { return refusal == MQTTError.unsupportedVersion }
        return tlsReasons == nil
    }

    private static func tlsFailure(_ words: String) -> MQTTError {
        let hint =
            words.contains("certificate verify failed")
            ? " (the server's certificate is not from a trusted authority, has expired, or is for another name)" : ""
        return MQTTError(.tls, "TLS: \(words)\(hint)")
    }

    // MARK: Keeping alive

    func tick() {
        guard let link, !isOpening else { return }
        let now = SystemClock.bootMilliseconds()
        // After a suspend or stall of 1.5 keep-alive intervals the server has dropped us: do not wait for a ping.
        if now - link.lastTick > Int64(configuration.keepAliveSeconds) * 1500, case .connected = phase {
            let gap = (now - link.lastTick) / 1000
            ended(MQTTError(.keepAliveTimeout, "the client did not run for \(gap) s, as in suspend"))
            return
        }
        link.lastTick = now
        tickTimer?.arm(atBootMilliseconds: now + 1000)
        pump(link, link.handle.keepAlive())
    }
}
