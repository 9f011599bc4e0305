// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Runtime

/// Which of several services publishes a feed.
@Suite(.timeLimit(.minutes(15))) struct FeedTurnTests {
    private let (attic, debt): (NodeID, NodeID)

    init() throws {
        attic = try #require(NodeID("attic"))
        debt = try #require(NodeID("debt"))
    }

    /// A turn behind the barrier of a connection, on which the broker has delivered the feed of `writer`.
    private func turn(of me: NodeID, behind writer: NodeID?) -> FeedTurn {
        var turn = FeedTurn(me)
        if let writer { _ = turn.receive(from: writer) }
        turn.begin()
        return turn
    }

    @Test func aServiceServesUnlessAnotherOneWroteTheFeed() {
        #expect(turn(of: debt, behind: nil).serves)
        #expect(turn(of: debt, behind: debt).serves)
        #expect(!turn(of: debt, behind: attic).serves)
        #expect(!turn(of: attic, behind: debt).serves, "ids do not matter to a service that comes later")
    }

    @Test func aFeedThatAServiceWithoutTheLockHasLeftIsTakenOver() {
        var turn = FeedTurn(attic, after: [attic, debt])
        for _ in 0..<2 {
            _ = turn.receive(from: debt)
            turn.begin()
            #expect(turn.serves)
            turn.noteDisconnected()
            #expect(!turn.serves)
        }
        turn.begin()
        // A service that publishes has another ledger.
        _ = turn.receive(from: debt)
        turn.begin()
        #expect(!turn.serves)
    }

    @Test func threePingsWithoutAMessageMeanThatTheOtherIsGone() {
        var turn = turn(of: attic, behind: debt)
        #expect(turn.ask(answeredAt: nil, at: 1_000) == debt)
        #expect(turn.ask(answeredAt: 1_001, at: 6_000) == debt)
        #expect(turn.ask(answeredAt: 1_001, at: 11_000) == debt, "the first one without")
        #expect(turn.ask(answeredAt: 11_000, at: 16_000) == debt, "it is back")
        #expect(turn.ask(answeredAt: 11_000, at: 21_000) == debt)
        #expect(turn.ask(answeredAt: 11_000, at: 26_000) == debt)
        #expect(turn.ask(answeredAt: 11_000, at: 31_000) == nil)
        turn.begin()
        #expect(turn.serves)
    }

    @Test func ofTwoThatHavePublishedTheFirstByIDStays() {
        var (first, second) = (turn(of: attic, behind: nil), turn(of: debt, behind: nil))
        for writer in [attic, debt] {
            let mustRepeat = (first.receive(from: writer), second.receive(from: writer))
            #expect(mustRepeat == (writer == debt, false))
        }
        first.begin()
        second.begin()
        #expect(first.serves)
        // The repeated feed arrives.
        _ = (first.receive(from: attic), second.receive(from: attic))
        second.begin()
        #expect(!second.serves)
        #expect(second.other == attic)
    }

    @Test func aServiceThatHasPublishedNothingStandsByForOneThatHas() {
        var turn = turn(of: attic, behind: nil)
        let mustRepeat = turn.receive(from: debt)
        #expect(!mustRepeat, "its ledger is empty, say, so it has nothing to repeat")
        turn.begin()
        #expect(!turn.serves)
    }

    @Test func aLostConnectionEndsTheTurn() {
        var turn = turn(of: debt, behind: nil)
        turn.noteDisconnected()
        #expect(!turn.serves)
    }
}
