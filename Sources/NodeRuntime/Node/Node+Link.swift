// SPDX-License-Identifier: Apache-2.0

import API
import Core
package import Mosquitto
import Runtime
package import Session
package import Wire

extension Node {
    /// Connects and reconnects to a broker until the task is cancelled or ``goOffline()`` is called.
    /// - Throws: `MQTTError` only for an invalid configuration. A broker that is down or refuses is logged and retried.
    package func runLink(_ configuration: MQTTConfiguration) async throws(MQTTError) {
        let will: @Sendable () -> MQTTMessage? = { [weak self] in self?.assumeIsolated { $0.will() } }
        var configuration = configuration
        // At most 200 connections a second after the broker was away.
        configuration.spreadMilliseconds = { [weak self] in
            self?.assumeIsolated { Int64($0.core.engine.peers.online.count) * 5 } ?? 0
        }
        try await link.run(configuration, makeWill: identity.publishesPresence ? will : nil) { [weak self] event in
            self?.assumeIsolated { $0.handle(event) }
        }
    }

    /// Waits until the broker's retained messages have arrived. Returns why there is no connection; `nil` if there is.
    package func waitUntilCaughtUp(for time: Milliseconds = .seconds(4)) async -> String? {
        if !core.hasCaughtUp { await wait(for: \.catchUp, atMost: time) }
        return view.isLinked ? nil : link.problems.current ?? "no answer in \(time.wholeSeconds) s"
    }

    /// Publishes that the node goes offline, and closes the connection. The session continues by its plan.
    package func goOffline() async {
        await link.close { identity.publishesPresence ? [MQTTMessage(core.will(of: $0, at: clocks()))] : [] }
    }

    /// Saves the sessions that the pages list, as of now, because the node stops.
    package func saveRecentSessions() {
        if let register = view.register { recent.note(register, at: groupTime) }
        recent.save(isStop: true)
    }

    private func will() -> MQTTMessage? {
        MQTTMessage(core.will(of: link.nextConnection(at: groupTime), at: clocks()))
    }

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected: counted.connections += 1
        case .message: counted.received += 1
        case .disconnected: break
        }
        handle(link.receive(event, at: groupTime))
    }

    /// Subscribes at QoS 0. An MQTT session that ends with its connection gets nothing again. So acknowledgements would
    /// only cost a packet for each message, and let the broker hold back all but a few.
    func subscribe(_ filters: [NodeCore.Filter], barrier: Outgoing) {
        link.subscribe(filters.map { Subscription($0.topics, qos: .atMostOnce, noLocal: $0.isNoLocal) })
        link.send(barrier)
    }

    /// Publishes a sound level. Returns `false` if there is no connection, because a level is of no use later.
    package func publish(_ level: SoundLevel) -> Bool {
        guard view.isLinked else { return false }
        var level = level
        level.sent = clocks().boot
        level.bootID = identity.bootID
        link.send(core.codec.encode(level))
        return true
    }
}
