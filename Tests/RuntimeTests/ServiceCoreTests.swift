// SPDX-License-Identifier: Apache-2.0

import Core
import Mosquitto
import Runtime
import Session
import Settings
import Support
import Testing
import Wire

/// The core of a service, on a broker that hands back what is published.
@Suite(.timeLimit(.minutes(15))) struct ServiceCoreTests {
    /// A core and its outlet, on the loop's thread.
    private actor Service {
        private nonisolated let loop: EventLoop
        private var core: ServiceCore?
        private var outgoing: [(message: Outgoing, completion: ServiceOutput.Completion?)] = []
        private(set) var waits: [Milliseconds] = []
        private(set) var handled = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(loop: EventLoop) { self.loop = loop }

        func open(_ lines: LogLines) throws {
            let values = { () -> SettingValues in
                var values = SettingValues()
                values.set(.node, option: "--node", to: "debt")
                return values
            }()
            let core = ServiceCore(
                .debt, space: SpaceID.home,
                settings: try NodeSettings(values, environment: ["HOME": "/home/ada"]),
                bootID: try #require(Clocks.bootID()), loop: loop,
                output: ServiceOutput(
                    log: lines.logger, makeWay: { [weak self] wait in self?.assumeIsolated { $0.waits.append(wait) } }
                ) { [weak self] message, completion in
                    self?.assumeIsolated { $0.outgoing.append((message, completion)) }
                })
            core.onHandled = { [weak self] in self?.assumeIsolated { $0.handled += 1 } }
            core.handle(.restored(NodeCore.Restored()))
            self.core = core
        }

        /// Connects; everything that the core publishes comes back, its barrier as the last.
        func connect(_ id: String) throws {
            core?.handle(.connected(try #require(ConnectionID(id)), hearsItself: true))
            while !outgoing.isEmpty {
                let (message, completion) = outgoing.removeFirst()
                _ = core?.receive(MQTTMessage(message))
                completion?(.success(.delivered))
            }
        }

        func receive(_ topic: String, _ payload: String) -> Int {
            core?.receive(MQTTMessage(topic: topic, payload: Array(payload.utf8))).count ?? 0
        }

        var isLinked: Bool { core?.engine.view.isLinked ?? false }
    }

    private func withService(_ body: (Service, LogLines) async throws -> Void) async throws {
        let lines = LogLines()
        try await EventLoop.withEventLoop { loop in
            let service = Service(loop: loop)
            try await service.open(lines)
            try await body(service, lines)
        }
    }

    private static func presence(_ connection: String) -> String {
        """
        {"v":1,"online":true,"conn":"\(connection)","role":"service","name":"Other","at":1,\
        "clock":{"synced":true,"bound":1},"software":"test 1"}
        """
    }

    @Test func aMessageIsHandledBeforeItIsReturned() async throws {
        try await withService { service, _ in
            try await service.connect("c-1")
            #expect(await service.isLinked)
            let before = await service.handled
            #expect(await service.receive("lockstep/1/home/node/desk/presence", Self.presence("d-1")) == 1)
            #expect(await service.handled > before)
        }
    }

    @Test func theLaterOfTwoServicesOfOneIDReportsItAndDisconnects() async throws {
        try await withService { service, lines in
            try await service.connect("c-2")
            for _ in 0..<2 {
                _ = await service.receive("lockstep/1/home/node/debt/presence", Self.presence("c-1"))
            }
            #expect(await service.waits.count == 1)
            #expect(await service.waits.allSatisfy { $0 >= 1_000 })
            #expect(lines.all.contains { $0.contains("another process connected first") }, "\(lines.all)")
        }
    }

    @Test func theEarlierOfTwoServicesOfOneIDReportsItOnce() async throws {
        try await withService { service, lines in
            try await service.connect("c-1")
            for _ in 0..<5 {
                _ = await service.receive("lockstep/1/home/node/debt/presence", Self.presence("c-2"))
            }
            #expect(await service.waits == [])
            #expect(lines.all.count { $0.contains("another machine uses the id debt") } == 1, "\(lines.all)")
        }
    }
}
