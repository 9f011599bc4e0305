// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Mosquitto
import Runtime
import Session
import Settings
import Wire

/// The command `lockstep-calm levels`, which prints the sound levels of a space.
package enum LevelPrinter {
    /// Prints the levels of the space until the output is closed.
    package static func run(settings: CalmSettings) async throws {
        guard let configuration = settings.common.brokerConfiguration(clientID: "lockstep-levels", givesUp: { true })
        else {
            throw SettingError("levels come from a broker: --broker mqtt://host, or LOCKSTEP_BROKER")
        }
        let codec = WireCodec(space: settings.common.space, me: settings.common.node)
        let sound = Topics.soundSubscription(in: settings.servesEverySpace ? nil : settings.common.space)
        let filters = [sound] + (settings.sensor.map { [$0.filter] } ?? [])
        try await EventLoop.withEventLoop(name: "levels") { loop in
            let client = MQTTClient(configuration, on: loop)
            // A reader that stops reading loses the oldest levels.
            let (events, feed) = AsyncStream.makeStream(of: MQTTEvent.self, bufferingPolicy: .bufferingNewest(1_024))
            await client.onEvent { feed.yield($0) }
            try await client.run {
                for await event in events {
                    switch event {
                    case .connected:
                        try await client.subscribe(filters.map { Subscription($0, qos: .atMostOnce) })
                    case .message(let message):
                        guard !message.retain, let (source, level) = read(message, codec, settings.sensor) else {
                            continue
                        }
                        guard print(level, of: source) else { return }
                    case .disconnected(let error, _): throw error
                    }
                }
            }
        }
    }

    private static func read(
        _ message: MQTTMessage, _ codec: WireCodec, _ sensor: CalmSettings.SensorTopic?
    ) -> (source: String, level: Int)? {
        let decoded = codec.decode(topic: message.topic, payload: message.payload, retained: false, now: 0)
        if case .sound(let level, let node) = decoded {
            return (level.sourceName(at: node), level.level)
        }
        guard let level = sensor?.sensor.level(in: message.payload) else { return nil }
        return (message.topic, level)
    }

    /// Prints a level as a line of JSON. Returns `false` if the output is closed.
    static func print(_ level: Int, of source: String) -> Bool {
        let line = ReportJSON.encode(LevelLine(source: source, level: Double(level) / 10)) + [10]
        return write(STDOUT_FILENO, line, line.count) == line.count
    }
}
