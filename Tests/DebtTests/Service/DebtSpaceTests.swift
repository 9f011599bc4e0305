// SPDX-License-Identifier: Apache-2.0

import Core
import Logging
import Mosquitto
import Runtime
import Session
import Settings
import Support
import Testing
import Wire

@testable import Debt

/// The debt of a space, with a broker that echoes all messages.
@Suite(.timeLimit(.minutes(15))) struct DebtSpaceTests {
    /// The service's end of a space, on the service's thread.
    private actor Service {
        private nonisolated let loop: EventLoop
        private let id: SpaceID
        private var space: DebtSpace?
        private var outgoing: [Outgoing] = []
        private(set) var debts: [Int] = []

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(_ id: SpaceID, loop: EventLoop) {
            self.id = id
            self.loop = loop
        }

        func open(_ ledger: LedgerStore) throws {
            let settings = try DebtSettings(SettingValues(), environment: ["HOME": "/home/ada"])
            let space = DebtSpace(
                space: id, settings: settings, ledger: ledger, history: RulesHistory(settings.rules),
                bootID: try #require(Clocks.bootID()), loop: loop,
                output: ServiceOutput(log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, makeWay: { _ in }) {
                    [weak self] outgoing, _ in self?.assumeIsolated { $0.outgoing.append(outgoing) }
                })
            self.space = space
            space.handle(.restored(NodeCore.Restored()))
        }

        /// Connects; the broker echoes all messages of the space, its barrier last.
        func connect(_ id: String) throws {
            space?.handle(.connected(try #require(ConnectionID(id)), hearsItself: true))
            echo()
        }

        func disconnect() { space?.handle(.disconnected(willRetry: true)) }

        func update() throws {
            try space?.update()
            echo()
        }

        func receive(of node: NodeID, isOnline: Bool = true, connection: String) {
            let payload = """
                {"v":1,"online":\(isOnline),"conn":"\(connection)","role":"node","name":"N","at":1,\
                "clock":{"synced":true,"bound":1},"software":"test 1"}
                """
            let message = MQTTMessage(
                topic: "lockstep/1/home/node/\(node)/presence", payload: Array(payload.utf8), retain: true)
            _ = space?.core.receive(message)
        }

        /// Returns how many comparisons were sent.
        func compare(with node: NodeID) throws -> Int {
            let before = outgoing.count
            try space?.compare(with: node)
            return outgoing[before...].count { $0.topic.hasSuffix("feed/debt/ack") }
        }

        func mark(_ node: NodeID, _ change: PresenceQueue.Change) throws -> Bool? {
            try space?.noteAbsences([(node, change)])
        }

        private func echo() {
            while !outgoing.isEmpty {
                let message = outgoing.removeFirst()
                for case .feed(.debt(let feed?)) in space?.core.receive(MQTTMessage(message)) ?? [] {
                    debts.append(feed.minutes)
                }
            }
        }
    }

    private let desk = NodeID.desk

    private func withService(_ body: (Service, LedgerStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let ledger = try LedgerStore(at: directory.file("ledger.sqlite"))
        let space = SpaceID.home
        try await EventLoop.withEventLoop { loop in
            let service = Service(space, loop: loop)
            try await service.open(ledger)
            try await body(service, ledger)
        }
        try ledger.close()
    }

    @Test func weekIsPublishedOnceForEachConnection() async throws {
        try await withService { service, _ in
            try await service.update()
            #expect(await service.debts.isEmpty, "there is no connection")
            try await service.connect("c-1")
            try await service.update()
            try await service.update()
            #expect(await service.debts == [420], "the second update changes nothing")
            await service.disconnect()
            try await service.connect("c-2")
            try await service.update()
            #expect(await service.debts == [420, 420], "the broker may have lost it")
        }
    }

    @Test func nodeIsComparedOnceForEachConnection() async throws {
        try await withService { service, _ in
            await service.receive(of: desk, connection: "c-desk")
            #expect(try await service.compare(with: desk) == 0, "there is no connection")
            try await service.connect("c-1")
            #expect(try await service.compare(with: desk) == 1)
            #expect(try await service.compare(with: desk) == 0)
            await service.receive(of: desk, connection: "d-later")
            #expect(try await service.compare(with: desk) == 1)
            await service.disconnect()
            try await service.connect("c-2")
            #expect(try await service.compare(with: desk) == 1, "the answer may be lost")
            await service.receive(of: desk, isOnline: false, connection: "d-later")
            await service.receive(of: desk, connection: "e-last")
            await service.receive(of: desk, isOnline: false, connection: "e-last")
            #expect(try await service.compare(with: desk) == 0, "it is offline again")
        }
    }

    @Test func aNodeThatWasBackBrieflyIsGoneSinceItsLastGoodbye() async throws {
        try await withService { service, ledger in
            try await service.connect("c-1")
            await service.receive(of: desk, isOnline: false, connection: "c-desk")
            #expect(try await service.mark(desk, change(goneSince: 1_000)) == true)
            #expect(try await service.mark(desk, change(goneSince: 2_000)) == false, "it is marked already")
            #expect(try gone(ledger) == 1_000)
            #expect(try await service.mark(desk, change(hasReturned: true, goneSince: 3_000)) == true)
            #expect(try gone(ledger) == 3_000)
            #expect(try await service.mark(desk, change(hasReturned: true)) == true)
            #expect(try gone(ledger) == nil)
            #expect(try await service.mark(desk, change(hasReturned: true)) == false)
        }
    }

    private func change(hasReturned: Bool = false, goneSince: GroupTime? = nil) -> PresenceQueue.Change {
        PresenceQueue.Change(hasReturned: hasReturned, goneSince: goneSince, dueAt: 0)
    }

    private func gone(_ ledger: LedgerStore) throws -> GroupTime? { try ledger.gone(of: SpaceID.home)[desk] }
}
