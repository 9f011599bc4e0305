// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Testing
import Wire

/// Another process with the same node ID.
@Suite(.timeLimit(.minutes(15))) struct TwinTests {
    private var node = CoreHarness("desk")

    init() {
        node.connect()
    }

    private func presence(of connection: String) -> Presence {
        Presence(
            isOnline: true, connection: token(connection), role: .node, name: "clone", at: CoreHarness.epoch,
            clock: ClockQuality(isSynced: true), software: "test")
    }

    @Test mutating func laterTwinGivesUpItsConnection() throws {
        node.receive(.presence(presence(of: "c0")))
        let wait = try #require(node.madeWay.first)
        #expect((1_500...2_000).contains(wait))
        node.sent = []
        node.receive(node.intent("I1"))
        #expect(node.sent.isEmpty, "messages of the closed connection do not count")
    }

    @Test mutating func earlierTwinStaysAndReportsTheSecondTime() {
        node.receive(.presence(presence(of: "c9")))
        #expect(!node.core.isTwinKnown(at: node.boot))
        node.receive(.presence(presence(of: "c9")))
        #expect(node.core.isTwinKnown(at: node.boot))
        #expect(node.madeWay.isEmpty)
    }

    @Test mutating func barrierWaitsForAPossibleTwin() {
        node.handle(.disconnected(willRetry: true))
        node.retained = [.presence(presence(of: "c0"))]
        node.connect()
        #expect(node.core.isCatchingUp)
        node.pass(1_500)
        #expect(!node.core.isCatchingUp)
    }

    /// The twin's first answer was retained, because the node had not subscribed yet. The node's second presence gets
    /// another one, before the node takes its register back.
    @Test mutating func retainedPresenceOfALivingTwinIsAnsweredOnceMore() throws {
        node.start("S1")
        node.handle(.disconnected(willRetry: true))
        node.pass(2_000)
        node.sent = []
        node.retained = [.presence(presence(of: "c0"))]
        node.connect()
        #expect(node.sent.map(\.kind) == ["presence", "presence"], "the twin sees the second one")
        node.pass(1_000)
        node.receive(.presence(presence(of: "c0")))
        #expect(node.madeWay.count == 1)
        #expect(!node.sent.map(\.kind).contains("register"), "the twin's register is not replaced")
    }

    /// A barrier waits 1.5 s, so that the answer to a second presence arrives in time.
    @Test mutating func earlierTwinAnswersEachPresenceWithinASecond() {
        node.pass(2_000)
        node.sent = []
        node.receive(.presence(presence(of: "c9")))
        node.pass(10)
        node.receive(.presence(presence(of: "c9")))
        #expect(node.sent.map(\.kind) == ["presence"])
        node.pass(1_000)
        #expect(node.sent.map(\.kind) == ["presence", "presence"])
    }

    /// Without a journal, a node cannot know whether it wrote that register or a twin did.
    @Test mutating func barrierWaitsWhenTheRetainedRegisterIsLater() throws {
        node.start("S1")
        let register = try #require(node.core.view.register)
        var restarted = CoreHarness("desk")
        restarted.retained = [.register(register)]
        restarted.connect()
        #expect(restarted.core.isCatchingUp)
        restarted.receive(.presence(presence(of: "c0")))
        #expect(restarted.madeWay.count == 1)
        restarted.handle(.disconnected(willRetry: true))
        let kinds = restarted.sent.map(\.kind)
        #expect(kinds == ["presence"], "the twin's register is not replaced")
    }

    @Test mutating func barrierPassesAtOnceWhenTheJournalIsLatest() throws {
        node.start("S1")
        node.retained = [.register(try #require(node.core.view.register))]
        node.handle(.disconnected(willRetry: true))
        node.connect()
        #expect(!node.core.isCatchingUp)
    }
}
