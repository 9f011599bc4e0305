// SPDX-License-Identifier: Apache-2.0

import Session
import Testing
import Wire

@Suite("Topics", .timeLimit(.minutes(15)))
struct TopicsTests {
    @Test func everyTopicIsReadBack() throws {
        let topics = Topics(space: try #require(SpaceID("studio-3")))
        let desk = try Fixtures.node("desk")
        let hall = try Fixtures.node("hall")
        let all: [Topic] =
            Topic.Leaf.allCases.map { .own($0, of: desk) } + Topic.Feed.allCases.map(Topic.feed)
            + [.ping(from: desk, to: hall), .pong(from: hall, to: desk)]
        for topic in all { #expect(topics.parse(topics.name(of: topic)) == topic) }
        #expect(topics.name(of: .ping(from: desk, to: hall)) == "lockstep/1/studio-3/node/desk/ping/hall")
        #expect(topics.name(of: .feed(.debtAck)) == "lockstep/1/studio-3/feed/debt/ack")
        #expect(Set(all.map(topics.name(of:))).count == all.count)
    }

    @Test(arguments: [
        "", "/", "lockstep/1/home", "lockstep/1/home/", "lockstep/1/home/node", "lockstep/1/home/node/",
        "lockstep/1/home/node/desk", "lockstep/1/home/node/desk/", "lockstep/1/home/node//presence",
        "lockstep/1/home/node/desk/presence/", "lockstep/1/home/node/desk/presence/x",
        "lockstep/1/home/node/desk/ping", "lockstep/1/home/node/desk/ping/", "lockstep/1/home/node/desk/ping/Hall",
        "lockstep/1/home/node/desk/ping/hall/x", "lockstep/1/home/node/-desk/presence",
        "lockstep/1/home/node/désk/presence", "lockstep/1/home/feed", "lockstep/1/home/feed/mood",
        "lockstep/1/home2/node/desk/presence", "lockstep/2/home/node/desk/presence", " lockstep/1/home/feed/calm",
    ])
    func invalidTopicsAreRejected(name: String) throws {
        #expect(Topics(space: try #require(SpaceID("home"))).parse(name) == nil)
    }

    @Test func subscriptionsCoverTheNeededTopicsOnly() throws {
        #expect(
            try Fixtures.codec().subscriptions == [
                "lockstep/1/home/node/+/presence", "lockstep/1/home/node/+/session", "lockstep/1/home/node/+/notice",
                "lockstep/1/home/node/+/intent",
                "lockstep/1/home/node/+/ack", "lockstep/1/home/node/+/hello", "lockstep/1/home/node/+/ping/desk",
                "lockstep/1/home/node/+/pong/desk", "lockstep/1/home/feed/calm", "lockstep/1/home/feed/debt",
                "lockstep/1/home/feed/debt/year", "lockstep/1/home/feed/debt/ack",
            ])
    }
}
