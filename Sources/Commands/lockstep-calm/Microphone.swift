// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Session
import Shell
import Wire

/// Publishes levels in the name of this machine's node. A level of which the broker cannot be told at once is of no use
/// later: it is a gap.
actor Microphone {
    nonisolated let loop: EventLoop
    private let codec: WireCodec
    private let log: Logger
    private var client: MQTTClient?
    private var lastProblem: String?
    private let bootID = Clocks.bootID()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(settings: CalmSettings, loop: EventLoop, log: Logger) {
        codec = WireCodec(space: settings.node.space, me: settings.node.node)
        self.loop = loop
        self.log = log
    }

    func run(_ configuration: Mosquitto.Configuration) async throws {
        let client = MQTTClient(configuration, on: loop)
        self.client = client
        await client.onEvent { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
        try await client.run()
    }

    func close() async { await client?.close(deadlineMilliseconds: 500) }

    /// Says the level of the second that ends now; from any thread.
    nonisolated func say(_ level: Int) {
        let sent = EventLoop.bootMilliseconds()
        loop.execute { [weak self] in self?.assumeIsolated { $0.publish(level, sent: sent) } }
    }

    private func publish(_ level: Int, sent: Int64) {
        let message = Mosquitto.Message(codec.encode(SoundLevel(level: level, sent: sent, bootID: bootID)))
        client?.assumeIsolated { $0.send(message) }
    }

    private func handle(_ event: Event) {
        switch event {
        case .connected:
            lastProblem = nil
            log.info("connected to the broker")
        case .disconnected(let error, _):
            guard lastProblem != error.description else { return }
            lastProblem = error.description
            log.warning("no connection to the broker: \(error.description)")
        case .message, .overflow: break
        }
    }
}
