// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing

/// The owner is killed again and again while somebody presses.
@Suite(.takingTurns) struct KilledNodeTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    @Test(.mostlyWaiting, arguments: [UInt64(1)])
    func nothingOfItsSessionIsLostOrDone(twice seed: UInt64) async throws {
        try await FaultySpace.with { space, id in
            var random = Random(state: seed)
            let isOver = Mutex(false)
            async let outcomes = press(space, until: isOver)
            // Twice a round.
            for _ in 1...25 {
                // A moment for the presses, so that it is killed at work; then a random one.
                let revision = space.kitchen.status.revision.int ?? 0
                try await eventually("a press gets through, or none for a while", within: .seconds(60)) {
                    space.kitchen.status.revision.int ?? 0 > revision
                }
                try await Task.sleep(for: .microseconds(Int.random(in: 0...30_000, using: &random)))
                try await space.desk.kill()
                // Also while it starts, reads its journal, connects.
                try space.desk.launch()
                try await Task.sleep(for: .microseconds(Int.random(in: 0...300_000, using: &random)))
                try await space.desk.kill()
                try await space.desk.start()
            }
            isOver.withLock { $0 = true }
            let all = await outcomes
            let agreed = try await space.agrees("the same after all that") { $0.session.text == id }

            let applied = all.filter { $0 == "applied" || $0 == "duplicate" }.count
            let unknown = all.count - applied
            #expect(Set(all).isSubset(of: ["applied", "duplicate", "noAnswer"]), "\(Set(all))")
            let extended = ((agreed.totalSeconds.int ?? 0) - 1_500) / 5
            #expect((applied...applied + unknown).contains(Int(extended)), "\(applied) applied, \(unknown) unanswered")
            #expect(agreed.revision.int == extended + 1, "each press is one revision, and nothing else is")
            neverGoesBack(space.peer.all("session", of: "desk"), id)
        }
    }

    private func press(_ space: FaultySpace, until isOver: borrowing Mutex<Bool>) async -> [JSON] {
        var outcomes: [JSON] = []
        while !isOver.withLock(\.self) { outcomes.append(await space.extend(space.kitchen, by: 5).outcome) }
        return outcomes
    }

    /// What others saw of the session, in the order they saw it.
    private func neverGoesBack(_ registers: [JSON], _ id: String) {
        var before = JSON.null
        var revisions: [JSON: JSON] = [:]
        for register in registers {
            #expect(register.id.text == id)
            #expect(register.epoch == registers.first?.epoch, "the journal was never lost")
            if before != .null {
                #expect(register.rev.int ?? 0 >= before.rev.int ?? 0)
                #expect(register.rev != before.rev || register == before, "one revision, one content")
                let lost = Set(before.applied.items.suffix(32)).subtracting(register.applied.items)
                #expect(register.rev.int ?? 0 > (before.rev.int ?? 0) + 32 || lost.isEmpty)
            }
            if register.last != .null {
                #expect(revisions[register.last.intent, default: register.rev] == register.rev, "a press counts once")
                revisions[register.last.intent] = register.rev
            }
            before = register
        }
    }
}
