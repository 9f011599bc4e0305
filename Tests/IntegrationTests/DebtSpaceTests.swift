// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

/// What the debt service hears of others: nodes that are gone, the calm service, more than one space.
@Suite(.takingTurns) struct DebtSpaceTests {
    private static let environment = ["LOCKSTEP_DEBT_MINIMUM": "0"]

    /// Whoever pulls the plug of a session that counts up gets no fifteen hours.
    @Test func aNodeThatIsGoneCountsNoFurther() async throws {
        try await Space.with("desk") { space in
            let (desk, peer) = (space["desk"], space.peer)
            let service = try DebtProgram(
                ["--zone", "UTC"], broker: space.broker.port, environment: Self.environment)
            try await service.start()
            #expect(try await desk.lockstep("start", "--count-up").code == 0)
            let running = try await peer.hearsDebt("it runs") { $0.until.int != nil }
            #expect((running.until.int ?? 0) - now() > 14 * 3_600_000)
            try await desk.kill()
            let gone = try await peer.hearsDebt("it counts no further") { $0.until == .null }
            #expect((gone.done.int ?? 0) < 600_000)
            let week = try await service.command("--json")
            #expect(week.json.done == gone.done, "the ledger says the same: \(week)")
            // Its node goes on with it, so it counts on, and has done so all the time.
            try await desk.start()
            try await peer.hearsDebt("it runs again") { $0.until == running.until }
            // Both are gone, and the service comes back alone.
            try await service.kill()
            try await desk.kill()
            try await peer.sees("presence", of: "desk", "its will") { $0.online == false }
            let count = peer.debt.count
            try await service.start()
            try await eventually("it says so: \(peer.debt.suffix(3))") {
                peer.debt.count > count && peer.debt.last?.until == .null
            }
            #expect((peer.debt.last?.done.int ?? .max) < 600_000)
            // A countdown goes on by date, whoever is gone.
            try await desk.start()
            try desk.begin()
            try await peer.hearsDebt("the countdown") { ($0.until.int ?? .max) < now() + 3_600_000 }
            try await desk.kill()
            try await peer.sees("presence", of: "desk", "its will") { $0.online == false }
            // What it has to say of that comes before its answer.
            try await peer.publish("record", JSON.record("s-1"), retain: false)
            try await peer.isAnswered("s-1", rev: 1, "kept")
            #expect(peer.debt.last?.until != .null)
            try await service.end()
        }
    }

    @Test func calmOfTheWeek() async throws {
        try await Space.with("desk") { space in
            try await CalmProgram.withService(broker: space.broker.port) { _ in
                try await DebtProgram.withService(
                    ["--zone", "UTC"], broker: space.broker.port, environment: Self.environment
                ) { service in
                    let empty = try await space.peer.hearsDebt("nothing done") { $0.done == 0 }
                    #expect(empty.calm == .null, "nobody knows")
                    try space["desk"].begin()
                    func speak(_ level: Int64, until isRight: (JSON) -> Bool) async throws {
                        // After a gap it takes four times as long until enough was heard.
                        try await eventually(
                            "\(level): calm \(space.peer.calm.last ?? .null), \(space.peer.debt.last ?? .null)",
                            within: .seconds(300)
                        ) {
                            try await space.peer.say(level: level, ["period": 3000])
                            return isRight(space.peer.debt.last ?? .null)
                        }
                    }
                    try await speak(30) { $0.calm == 100 }
                    try await speak(80) { ($0.calm.int ?? 100) < 100 }
                    #expect(try await space["desk"].lockstep("stop").code == 0)
                    // Its last word, some seconds later, is the week's, since there is no other session.
                    try await eventually("the week is as calm as its session: \(space.peer.debt.suffix(2))") {
                        let (week, percent) = (space.peer.debt.last ?? .null, space.peer.calm.last?.percent)
                        let history = try await service.history("--csv").output
                        return week.until == .null && week.calm == percent
                            && history.contains(",\(percent?.int ?? -1),")
                    }
                }
            }
        }
    }

    /// One service, one ledger, and a week for each space.
    @Test func everySpace() async throws {
        try await Broker.withBroker { broker in
            let service = try DebtProgram(
                ["--space", "+", "--zone", "UTC"], broker: broker.port, environment: Self.environment)
            try await service.start()
            try await Peer.with("peer", port: broker.port, space: "home") { home in
                try await Peer.with("peer-2", port: broker.port, space: "studio-3") { studio in
                    // The same session in two spaces is two sessions.
                    for (peer, minutes) in [(home, Int64(20)), (studio, 35)] {
                        var record = JSON.record("s-1", minutes: minutes)
                        record.node = .string(peer.id)
                        record.stamp = [record.stamp[0], 0, .string(peer.id)]
                        // Who is connected has not subscribed yet. A node sends it again, too.
                        try await eventually("\(peer.space): it is kept") {
                            try await peer.publish("record", record, retain: false)
                            return peer.ledgerAcks.contains { $0.records[0].outcome == "kept" }
                        }
                        try await peer.isAnswered("s-1", rev: 1, "kept")
                    }
                    try await home.hearsDebt("its minutes") { $0.done == 1_200_000 }
                    try await studio.hearsDebt("its minutes") { $0.done == 2_100_000 }
                    #expect(home.all("presence", of: "debt").isEmpty, "it is no node of a space")
                    let history = try await service.history("--space", "studio-3", "--json")
                    #expect(history.json.done == 2_100_000 && history.json.node == "peer-2", "\(history)")
                    let which = try await service.history("--space", "+")
                    #expect(which.code == 2 && which.errors.contains("home, studio-3"), "\(which)")
                    // What a person changes in one changes nothing in the other, also after a kill.
                    #expect(try await service.command("delete", "s-1", "--space", "home").code == 0)
                    try await home.hearsDebt("it is deleted") { $0.done == 0 }
                    try await service.kill()
                    let count = studio.debt.count
                    try await service.start()
                    try await eventually("it speaks again in both") {
                        studio.debt.count > count && home.debt.last?.done == 0
                    }
                    #expect(try await service.history("--space", "studio-3", "--json").json.done == 2_100_000)
                    #expect(try await service.history("--space", "home", "--json").output.isEmpty)
                }
            }
            try await service.end()
        }
    }
}
