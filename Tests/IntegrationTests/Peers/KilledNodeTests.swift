// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization
import Testing

/// The owner is killed repeatedly while a person presses.
@Suite(.limitedConcurrency) struct KilledNodeTests {
    /// In each round the owner is killed twice while the other node presses and takes over. Then the nodes swap roles.
    @Test(.waitingForTimers, arguments: [UInt64(1)])
    func killedNodeLosesNoPress(twice seed: UInt64) async throws {
        try await FaultySpace.with { space, id in
            var random = Random(seed: seed)
            let presser = Mutex<Presser?>(Presser(node: space.kitchen))
            async let outcomes = press(space, at: presser)
            var takeovers = 0
            for _ in 1...12 {
                let agreed = try await space.waitForAgreement("the session") { $0.lineage.text == id }
                let isDesks = agreed.owner == "desk"
                let (owner, other) = isDesks ? (space.desk, space.kitchen) : (space.kitchen, space.desk)
                presser.withLock { $0 = Presser(node: other) }
                // The owner is killed during the presses, after a random pause. It has answered one of the other node
                // before, so the broker has what it applied for its own person: that is not forwarded from full lists.
                try await eventually("a press gets through") { presser.withLock { $0?.applied ?? 0 > 0 } }
                try await Task.sleep(for: .microseconds(Int.random(in: 0...30_000, using: &random)))
                try await owner.kill()
                // It is also killed while it starts, reads its journal or connects.
                try owner.launch()
                try await Task.sleep(for: .microseconds(Int.random(in: 0...300_000, using: &random)))
                try await owner.kill()
                try await owner.start()
                if other.status.isOwner == true { takeovers += 1 }
            }
            presser.withLock { $0 = nil }
            let all = await outcomes
            let agreed = try await space.waitForAgreement("the same after all that") { $0.lineage.text == id }

            let applied = all.filter { $0 == "applied" || $0 == "duplicate" }.count
            let unknown = all.count - applied
            #expect(Set(all).isSubset(of: ["applied", "duplicate", "noAnswer", .null]), "\(Set(all))")
            let extended = ((agreed.totalSeconds.int ?? 0) - 1_500) / 5
            #expect((applied...applied + unknown).contains(Int(extended)), "\(applied) applied, \(unknown) unanswered")
            #expect(takeovers > 0, "its will is seen most of the time")
            for node in ["desk", "kitchen"] { neverGoesBack(space.peer.messages(on: "session", of: node), of: id) }
        }
    }

    /// The node at which a person presses, and how many of the presses there were applied.
    private struct Presser {
        var node: NodeProcess
        var applied = 0
    }

    private func press(_ space: FaultySpace, at presser: borrowing Mutex<Presser?>) async -> [JSON] {
        var outcomes: [JSON] = []
        while let node = presser.withLock({ $0?.node }) {
            let outcome = await space.extend(node, by: 5).outcome
            outcomes.append(outcome)
            presser.withLock { if outcome == "applied", $0?.node.id == node.id { $0?.applied += 1 } }
        }
        return outcomes
    }

    /// Checks the registers of a node in the order in which peers saw them.
    private func neverGoesBack(_ registers: [JSON], of lineage: String) {
        var before = JSON.null
        var revisions: [JSON: JSON] = [:]
        for register in registers {
            #expect(register.lineage.text == lineage)
            #expect(register.epoch == registers.first?.epoch, "the journal was never lost")
            if before != .null {
                #expect(register.rev.int ?? 0 >= before.rev.int ?? 0)
                #expect(register.rev != before.rev || register == before, "one revision, one content")
            }
            if register.last != .null {
                #expect(revisions[register.last.intent, default: register.rev] == register.rev, "a press counts once")
                revisions[register.last.intent] = register.rev
            }
            if register.id == before.id {
                let lost = Set(before.applied.items.suffix(32)).subtracting(register.applied.items)
                #expect(register.rev.int ?? 0 > (before.rev.int ?? 0) + 32 || lost.isEmpty)
            }
            before = register
        }
    }
}
