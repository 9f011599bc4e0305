// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Testing
import Wire

/// A press at a node to which its broker, or its member of a cluster, has not delivered the live session.
@Suite(.timeLimit(.minutes(15))) struct HeldPressTests {
    private var desk = CoreHarness("desk")
    private var kitchen = CoreHarness("kitchen")

    init() {
        desk.connect()
        kitchen.connect()
    }

    private static func presence(on connection: String) -> Message {
        .presence(
            Presence(
                isOnline: true, connection: token(connection), role: .node, name: "n", at: CoreHarness.epoch,
                clock: ClockQuality(isSynced: true), software: "test"))
    }

    /// Tells the desk that the kitchen is there, and makes it press *pause*.
    private mutating func pressBesideKitchen() {
        desk.receive(Self.presence(on: "k1"), from: kitchen.core.codec.me)
        desk.press(.pause, id: "I1")
    }

    private mutating func hearKitchen() throws {
        desk.receive(.register(try #require(kitchen.core.view.register)))
    }

    private func sent(_ kind: String) -> Int { desk.sent.count { $0.kind == kind } }

    @Test mutating func pressReachesASessionThatAnotherNodeTellsOf() throws {
        kitchen.start("S1")
        desk.pass(1_000)
        pressBesideKitchen()
        #expect(desk.replies.isEmpty)
        #expect(sent("hello") == 1)
        try hearKitchen()
        desk.pass(300)
        #expect(desk.replies.isEmpty)
        #expect(sent("intent") == 1)
    }

    @Test mutating func pressIsAnsweredWhenNoNodeTellsOfASession() {
        pressBesideKitchen()
        desk.pass(1_499)
        #expect(desk.replies.isEmpty)
        desk.pass(1)
        #expect(desk.replies == [.noSession])
        desk.press(.pause, id: "I2")
        #expect(desk.replies == [.noSession, .noSession], "all nodes were asked just now")
        #expect(sent("hello") == 1)
    }

    @Test mutating func pressIsNotMeantForASessionThatStartsMeanwhile() throws {
        kitchen.pass(500)
        pressBesideKitchen()
        kitchen.start("S1")
        desk.pass(600)
        try hearKitchen()
        desk.pass(300)
        #expect(desk.replies == [.noSession])
        #expect(sent("intent") == 0)
    }

    @Test mutating func pressWithoutPeersIsAnsweredAtOnce() {
        desk.retained = [Self.presence(on: "c2")]
        desk.connect()
        desk.press(.pause, id: "I1")
        #expect(desk.replies == [.noSession])
    }

    @Test mutating func pressIsAnsweredWhenTheConnectionEnds() {
        pressBesideKitchen()
        desk.handle(.disconnected(willRetry: true))
        #expect(desk.replies == [.noSession])
    }

    @Test mutating func pressOfAProgramThatHasEndedIsForgotten() throws {
        kitchen.start("S1")
        desk.pass(1_000)
        pressBesideKitchen()
        desk.handle(.input(.hangUp(desk.ticket)))
        try hearKitchen()
        desk.pass(2_000)
        #expect(sent("intent") == 0)
    }
}
