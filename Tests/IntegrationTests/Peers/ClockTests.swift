// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Machines with unrelated clocks.
@Suite(.limitedConcurrency, .retriedAfterStall) struct ClockTests {
    /// Checks that both nodes can use a session, whatever their clocks read.
    private func shareASession(_ space: FaultySpace, _ id: String) async throws {
        #expect(try await space.extendAtOwner(space.kitchen).outcome == "applied")
        #expect(await space.extend(space.desk).outcome == "applied")
        try await space.waitForAgreement("two presses") { $0.totalSeconds == 1_620 && $0.session.text == id }
        let later = try space.kitchen.begin(["seconds": 600])
        try await space.waitForAgreement("a later start there") { $0.session.text == later && $0.owner == "kitchen" }
        #expect(try await space.extendAtAnyOwner(space.desk).outcome == "applied")
        try await space.waitForAgreement("a press") { $0.totalSeconds == 660 }
        let last = try space.desk.begin(["seconds": 900])
        try await space.waitForAgreement("a later start here") { $0.session.text == last && $0.owner == "desk" }
    }

    @Test(.enabled(if: MovedClock.canMoveBoot, "only root, on a kernel with time namespaces, has other boot clocks"))
    func nodesAgreeWithDifferentBootClocks() async throws {
        try await FaultySpace.with(deskClock: .boot(seconds: 100_000)) { try await shareASession($0, $1) }
    }

    /// Two machines cannot decide between two plausible clocks, but they reject one that is years off.
    @Test(MovedClock.requiresFaketime, arguments: [1_970, 2_099])
    func nodesAgreeWithImplausibleClocks(year: Int) async throws {
        let then = Int64(year - 1_970) * 31_556_952 + 1_000_000
        let ahead = then - now() / 1_000
        let clock = MovedClock.wall(seconds: Int(ahead))
        try await FaultySpace.with(deskClock: clock) { space, id in
            try await shareASession(space, id)
            for node in [space.desk, space.kitchen] {
                try await eventually("\(node.id) sees whose clock is wrong") {
                    node.row(of: "desk").clock.wrong == true && node.row(of: "kitchen").clock.wrong == false
                }
                let words = try await node.lockstep("nodes").output.split(separator: "\n")
                #expect(words.first { $0.hasPrefix("desk") }?.contains("clock wrong") == true, "\(words)")
                #expect(words.first { $0.hasPrefix("kitchen") }?.contains("clock wrong") == false, "\(words)")
            }
            try await space.desk.waitFor("the date of its start") { abs(($0.startTime.int ?? 0) - now()) < 600_000 }
            let status = try await space.desk.lockstep("status", "--json").json
            #expect(status.clock.wrong == true)
            #expect(abs((status.clockAhead.int ?? 0) - ahead * 1_000) < 600_000, "\(status.clockAhead)")
            #expect(try await space.desk.lockstep("status").output.contains("clock wrong: this machine’s is "))
            #expect(try await space.kitchen.lockstep("status").output.contains("clock wrong") == false)
        }
    }

    /// A machine without a battery for its clock starts with a wrong time. No other node sends a message here.
    @Test(MovedClock.requiresFaketime, .enabled(if: WallClock.canBeSet, "only root of the machine may set its clock"))
    func aNodeThatIsAloneNoticesThatItsClockWasSet() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(MovedClock.offset(-7_200), to: "offset")
        let desk = try NodeProcess("desk", clock: .wallFile(file))
        try await desk.start()
        let corrected = "group time agrees with this machine's clock again"
        #expect(!desk.log.contains(corrected))
        try directory.write(MovedClock.offset(0), to: "offset")
        WallClock.set()
        try await eventually("its time is corrected") { desk.log.contains(corrected) }
    }
}
