// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Joining
import Mosquitto
import Platform
import Runtime
import Session
import Settings
import Synchronization
import Wire

/// `lockstep-node probe`: logs in as a node, and reports what the broker keeps of it, for `lockstep join`. It writes
/// nothing but a message to itself.
struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lockstep-node probe")

    @Option(help: "The settings of the node.")
    var config: String

    @Flag(help: "Wait until the node is online.")
    var online = false

    @Option(name: .customLong("not"), help: "A connection to ignore: the node's own before it was restarted.")
    var former: String?

    @Option(help: "The time limit in seconds.")
    var seconds = 10

    func run() async throws {
        var values = SettingValues()
        try values.fill(file: config)
        let settings = try NodeSettings(values, environment: [:])
        // A failure before the first connection ends the probe.
        let connected = Atomic(false)
        guard
            let configuration = settings.brokerConfiguration(
                clientID: "lockstep-probe", givesUp: { !connected.load(ordering: .relaxed) })
        else {
            throw UsageError("\(config) names no broker")
        }
        let report = try await EventLoop.withEventLoop(name: "probe") { loop in
            await withTaskGroup(of: Void.self) { group in
                let client = MQTTClient(configuration, on: loop)
                let (events, feed) = AsyncStream.makeStream(of: MQTTEvent.self)
                await client.onEvent { feed.yield($0) }
                group.addTask {
                    try? await client.run()
                    feed.finish()
                }
                group.addTask {
                    try? await Task.sleep(for: .seconds(seconds))
                    await client.close(deadlineMilliseconds: 200)
                }
                let report = await observe(client, events, settings) { connected.store(true, ordering: .relaxed) }
                group.cancelAll()
                await client.close(deadlineMilliseconds: 200)
                return report
            }
        }
        print(ReportJSON.text(report))
    }

    private func observe(
        _ client: MQTTClient, _ events: AsyncStream<MQTTEvent>, _ settings: NodeSettings, onConnect: () -> Void
    ) async -> ProbeReport {
        let codec = WireCodec(space: settings.space, me: settings.node)
        let barrier = codec.barrier(
            ConnectionID("probe-\(RandomKey.suffix())") ?? { preconditionFailure("an id") }())
        var report = ProbeReport()
        report.problem = "no answer in \(seconds) s"
        for await event in events {
            switch event {
            case .connected:
                onConnect()
                report.problem = "connected, but the broker does not let \(settings.node) write its own topics"
                let filters = [codec.topics.name(of: .own(.presence, of: settings.node)), barrier.topic]
                _ = try? await client.subscribe(filters.map { Subscription($0, qos: .atLeastOnce) })
                await client.send(MQTTMessage(barrier))
            case .message(let message):
                let decoded = codec.decode(
                    topic: message.topic, payload: message.payload, retained: message.retain, now: 0)
                if case .message(.presence(let presence), _) = decoded { note(presence, in: &report) }
                if case .barrier = decoded { report.problem = nil }
                if online ? report.isOnline : report.problem == nil { return report }
            case .disconnected(let error, _):
                report.problem = error.description
                report.isRefused = error.code == .badCredentials
            }
        }
        return report
    }

    private func note(_ presence: Presence, in report: inout ProbeReport) {
        report.isKnown = true
        report.connection = presence.connection.rawValue
        report.isOnline = presence.isOnline && report.connection != former
        report.at = presence.at
    }
}
