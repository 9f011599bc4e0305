// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Several calm services in one space.
@Suite(.limitedConcurrency) struct CalmProgramSpaceTests {
    /// The first one serves every space of the broker.
    @Test(.waitingForTimers) func aSecondServiceStandsByUntilTheFirstOneIsGone() async throws {
        try await Broker.withBroker { broker in
            try await Peer.with(port: broker.port) { try await takeTurns(broker, $0) }
        }
    }

    private func takeTurns(_ broker: Broker, _ peer: Peer) async throws {
        let first = try CalmProgram(["--space", "+"], broker: broker.port)
        let second = try CalmProgram([], broker: broker.port, id: "attic")
        try await first.start()
        try await peer.publish("session", JSON.register("s-1"))
        try await peer.speak(30, "the first one serves") { $0.by == "calm" && $0.level == 30 }
        try await second.start()
        try await eventually("it stands by: \(second.log)") {
            second.log.contains("the service calm publishes the feed")
        }
        // Both hear this, and one publishes.
        try await peer.speak(80, "it is loud") { $0.level == 80 && ($0.percent.int ?? 100) < 100 }
        #expect(peer.calm.allSatisfy { $0.by == "calm" }, "\(peer.calm)")

        try await first.kill()
        try await peer.speak(80, "the second one takes over") { $0.by == "attic" }
        #expect(second.log.contains("] publishes the feed"))
        let turn = peer.calm.count - 1
        #expect((peer.calm[turn].percent.int ?? 100) < 100, "it has heard the session: \(peer.calm[turn])")

        try await first.start()
        try await eventually("the first one stands by: \(first.log)") {
            first.log.contains("the service attic publishes the feed")
        }
        try await peer.speak(40, "the second one goes on") { $0.level == 40 }
        #expect(peer.calm[turn...].allSatisfy { $0.by == "attic" }, "\(peer.calm[turn...])")
        try await first.end()
        try await second.end()
    }
}

extension Peer {
    /// Publishes levels until the latest feed satisfies `isRight`.
    fileprivate func speak(_ level: Int64, _ what: String, until isRight: (JSON) -> Bool) async throws {
        try await eventually("\(what): \(calm.last ?? .null)", within: .seconds(300)) {
            try await say(level: level, ["period": 3000])
            return isRight(calm.last ?? .null)
        }
    }
}
