// SPDX-License-Identifier: Apache-2.0

import Core
import Mosquitto
import Runtime
import Session
import Settings
import Support
import Testing

/// The connection of a service and its spaces.
@Suite(.timeLimit(.minutes(15))) struct ServiceLinkTests {
    /// A space that remembers the events that it was given.
    private final class Space: ServiceSpace {
        let core: ServiceCore
        private(set) var events: [String] = []

        init(_ id: SpaceID, settings: NodeSettings, bootID: BootID, loop: EventLoop, output: ServiceOutput) {
            core = ServiceCore(
                .debt, space: id, settings: settings, bootID: bootID, loop: loop, output: output)
        }

        func handle(_ event: NodeCore.Event) {
            switch event {
            case .restored: events.append("restored")
            case .connected: events.append("connected")
            case .disconnected: events.append("disconnected")
            default: events.append("other")
            }
            core.handle(event)
        }
    }

    /// A service that only has a link, on the loop's thread.
    private actor Service {
        private nonisolated let loop: EventLoop
        private let link: ServiceLink<Space>

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(servesEverySpace: Bool = false, loop: EventLoop) throws {
            self.loop = loop
            var values = SettingValues()
            values.set(.node, option: "--node", to: "debt")
            let settings = try NodeSettings(values, environment: ["HOME": "/home/ada"])
            let bootID = try #require(Clocks.bootID())
            link = ServiceLink(
                settings: settings, servesEverySpace: servesEverySpace, filters: ["lockstep/1/home/#"], loop: loop,
                log: LogLines().logger
            ) { id, output in Space(id, settings: settings, bootID: bootID, loop: loop, output: output) }
        }

        func handle(_ event: MQTTEvent) { link.handle(event) }
        func will() -> MQTTMessage? { link.will() }
        func events(of id: SpaceID) -> [String] { link.openSpace(id)?.events ?? [] }
        var isConnected: Bool { link.isConnected }
    }

    private static let connected = MQTTEvent.connected(Connection(number: 1, version: .v5))

    @Test func aSpaceLearnsOfTheConnectionAfterItsRestart() async throws {
        let (home, other) = (SpaceID.home, try #require(SpaceID("other")))
        try await EventLoop.withEventLoop { loop in
            let service = try Service(loop: loop)
            #expect(await service.events(of: home) == ["restored"])
            await service.handle(Self.connected)
            #expect(await service.isConnected)
            #expect(await service.events(of: home).prefix(2) == ["restored", "connected"])
            #expect(await service.events(of: other).prefix(2) == ["restored", "connected"], "it is made later")
            await service.handle(.disconnected(MQTTError(.connectionLost, "lost"), retryInMilliseconds: 10))
            #expect(await !service.isConnected)
            #expect(await service.events(of: home).last == "disconnected")
        }
    }

    @Test func aServiceForEverySpaceHasNoWill() async throws {
        let home = SpaceID.home
        try await EventLoop.withEventLoop { loop in
            let service = try Service(servesEverySpace: true, loop: loop)
            _ = await service.events(of: home)
            #expect(await service.will() == nil)
        }
    }
}
