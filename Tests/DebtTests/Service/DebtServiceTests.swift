// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Platform
import Runtime
import Session
import Settings
import Support
import Synchronization
import Testing
import Wire

@testable import Debt

/// The service in this process, on a real broker, with a ledger in a real file.
@Suite(.timeLimit(.minutes(15))) struct DebtServiceTests {
    /// The payloads that a listener has received, by topic below the space.
    private final class Heard: Sendable {
        private let payloads = Mutex<[String: [String]]>([:])

        func all(_ leaf: String) -> [String] { payloads.withLock { $0["lockstep/1/home/" + leaf] ?? [] } }

        func handle(_ event: MQTTEvent, of client: MQTTClient) {
            switch event {
            case .connected:
                client.assumeIsolated {
                    $0.subscribe([Subscription("lockstep/1/home/#", qos: .atMostOnce)], completion: nil)
                }
            case .message(let message):
                let text = String(decoding: message.payload, as: UTF8.self)
                payloads.withLock { $0[message.topic, default: []].append(text) }
            case .disconnected: break
            }
        }
    }

    private func withService(_ body: (DebtService, Ledger, MQTTClient, Heard) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let ledger = try Ledger(at: directory.file("ledger.sqlite"))
        let settings = try DebtSettings(SettingValues(), environment: ["HOME": "/home/ada"])
        let bootID = try #require(Clocks.bootID())
        try await Broker.withBroker { broker in
            try await EventLoop.withEventLoop(name: "disk") { disk in
                try await EventLoop.withEventLoop(name: "service") { loop in
                    let service = DebtService(
                        settings: settings, ledger: ledger, history: RulesHistory(settings.rules), bootID: bootID,
                        loop: loop, disk: disk, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
                    let heard = Heard()
                    async let run: Void = service.run(
                        MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "debt"))
                    let client = MQTTClient(
                        MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "listener"), on: loop)
                    await client.onEvent { heard.handle($0, of: client) }
                    try await client.run {
                        try await eventually("the service publishes the week") { !heard.all("feed/debt").isEmpty }
                        try await body(service, ledger, client, heard)
                        await service.goOffline()
                    }
                    try await run
                }
            }
        }
        // The folder goes with its last use.
        try withExtendedLifetime(directory) { try ledger.close() }
    }

    private func record() throws -> DigestedRecord {
        DigestedRecord(try .sample(from: SystemClock.wallMilliseconds() - 7_200_000, minutes: 60))
    }

    @Test func aRecordIsFiledAnsweredAndPublished() async throws {
        let record = try record()
        try await withService { _, ledger, client, heard in
            let weeks = heard.all("feed/debt").count
            try await client.publish(record.json, to: "lockstep/1/home/node/desk/record")
            try await eventually("it is answered") {
                heard.all("feed/debt/ack").contains { $0.contains(#""outcome":"kept""#) }
            }
            #expect(try ledger.count(of: record.record.node, in: try #require(SpaceID("home"))) == 1)
            // In another week than the present one, it changes nothing in the feed.
            try await eventually("the week or the year is published again") {
                heard.all("feed/debt").count > weeks || !heard.all("feed/debt/year").isEmpty
            }
        }
    }

    @Test func aRecordThatCannotBeReadIsRefused() async throws {
        let text = String(decoding: try record().json, as: UTF8.self).replacing(#""focus""#, with: #""nap""#)
        try await withService { _, _, client, heard in
            try await client.publish(Array(text.utf8), to: "lockstep/1/home/node/desk/record")
            try await eventually("it is refused") {
                heard.all("feed/debt/ack").contains { $0.contains(#""outcome":"refused""#) }
            }
        }
    }

    @Test func aNodeThatComesIsComparedAndOneThatGoesIsMarked() async throws {
        let (home, desk) = (try #require(SpaceID("home")), try #require(NodeID("desk")))
        func presence(_ isOnline: Bool) -> [UInt8] {
            Array(
                """
                {"v":1,"online":\(isOnline),"conn":"c-1","role":"node","name":"Desk","at":\(SystemClock.wallMilliseconds()),\
                "clock":{"synced":true,"bound":1},"software":"test 1"}
                """.utf8)
        }
        try await withService { _, ledger, client, heard in
            try await client.publish(presence(true), to: "lockstep/1/home/node/desk/presence", retain: true)
            try await eventually("it is compared") {
                heard.all("feed/debt/ack").contains { $0.contains(#""weeks":[]"#) }
            }
            try await client.publish(presence(false), to: "lockstep/1/home/node/desk/presence", retain: true)
            try await eventually("it is marked") { try ledger.gone(of: home)[desk] != nil }
        }
    }

    @Test func theServiceAnnouncesItselfAndSaysGoodbye() async throws {
        try await withService { service, _, _, heard in
            #expect(heard.all("node/debt/presence").last?.contains(#""online":true"#) == true)
            await service.goOffline()
            try await eventually("it says goodbye") {
                heard.all("node/debt/presence").last?.contains(#""online":false"#) == true
            }
        }
    }
}
