// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Runtime
import Session
import Settings
import Wire

/// A publisher of sound levels under this machine's node id. A level that cannot be sent at once is dropped: a gap.
actor LevelPublisher {
    private nonisolated let loop: EventLoop
    private let codec: WireCodec
    private let log: Logger
    private let link: BrokerLink
    private let bootID = Clocks.bootID()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(settings: CalmSettings, loop: EventLoop, log: Logger) {
        codec = WireCodec(space: settings.common.space, me: settings.common.node)
        self.loop = loop
        self.log = log
        link = BrokerLink(of: .microphone, on: loop, log: log)
    }

    func run(_ configuration: MQTTConfiguration) async throws {
        try await link.run(configuration) { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
    }

    private func handle(_ event: MQTTEvent) {
        if case .connected = event { log.info("connected to the broker") }
        _ = link.receive(event, at: Clocks.now().told)
    }

    func close() async { await link.close() }

    /// Publishes the level, in tenths of a decibel, of the second that ends now. Called from any thread.
    nonisolated func publish(_ level: Int) {
        let sent = Clocks.boot()
        loop.execute { [weak self] in
            self?.assumeIsolated { publisher in
                let level = SoundLevel(level: level, sent: sent, bootID: publisher.bootID)
                publisher.link.send(publisher.codec.encode(level))
            }
        }
    }
}
