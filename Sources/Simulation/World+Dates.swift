// SPDX-License-Identifier: Apache-2.0

import Session

/// Checks of group time and of the dates of sessions, by the clocks as they are.
extension World {
    /// By how much a node's wall clock is wrong, where its kernel vouches for it and it tells a time that can be.
    func vouchedError(of node: Int) -> Int64? {
        let instant = instant(node)
        let plausible = Limits.earliestStamp...(Limits.earliestStamp + Limits.plausibleMilliseconds)
        guard instant.wallBound != nil, plausible.contains(instant.wall) else { return nil }
        return machines[node].clock.wallError(at: now)
    }

    /// What a node says of its own clock: whether it is vouched for, and whether it is wrong.
    func clockState(of node: Int) -> [Bool] {
        let instant = instant(node)
        let wrong = instant.wall - machines[node].engine.groupTime(instant)
        return [vouchedError(of: node) != nil, abs(wrong) > Limits.stampLead]
    }

    /// Whether clocks that kernels vouch for contradict each other, and no three outvote the rest: then a person has to say
    /// which is right, and until then what one node starts need not count for another.
    var isDisputed: Bool {
        let times = machines.indices.filter { vouchedError(of: $0) != nil }
            .map { machines[$0].engine.groupTime(instant($0)) }
        guard let first = times.min(), let last = times.max() else { return false }
        // Honest kernels are wrong by half of it at most.
        return last - first > 2 * Clock.syncedBound
    }

    /// What a vouched clock is contradicted by: three nodes that are there.
    mutating func checkOwnClock(at node: Int) {
        let instant = instant(node)
        let time = machines[node].engine.groupTime(instant)
        guard time != instant.wall, vouchedError(of: node) != nil else { return }
        // The liar can be the third beside two that are wrong.
        let others = machines[node].engine.peers.online.count { $0 != machines[node].id && $0 != liar?.node }
        let needed = liar?.falseClock == nil ? 3 : 2
        if others < needed {
            fail(.ownClock, "\(Names.node(node)) is \(time - instant.wall) ms off its clock, with \(others) others")
        }
    }

    /// A date that a clock has told that is vouched for is the one of that clock, and stays.
    mutating func checkDate(in journal: Journal, at node: Int) {
        guard let own = journal.own else { return }
        // What the disk lost and the broker kept is taken back in a new epoch, with the dates that it had.
        let isForgetful = witness.nodes[node].isForgetful
        if let dated = witness.nodes[node].dated, dated.session == own.id, dated.startedAt != own.startedAt,
            !isForgetful || dated.epoch == own.epoch
        {
            fail(.dated, "\(own.id) is moved by \(own.startedAt - dated.startedAt) ms after it was dated")
        }
        guard vouchedError(of: node) != nil || !journal.isGuess else { return }
        witness.nodes[node].dated = (own.id, own.startedAt, own.epoch)
    }

    /// What is known of each session's start, where anybody knows the date.
    mutating func checkDates() {
        let errors = machines.indices.compactMap(vouchedError)
        guard !errors.isEmpty else { return }
        for machine in machines where !witness.nodes[machine.index].isForgetful {
            // What was taken over has the dates of the owner before it.
            guard let own = machine.own, own.continues == nil, let start = witness.starts[own.id],
                !errors.contains(where: { abs(own.startedAt - start - $0) <= Clock.day })
            else { continue }
            // A reboot makes a guess final: the clocks of two boots cannot be moved as one.
            if witness.exposed.contains(own.id) { continue }
            if let boot = witness.guessedIn[own.id], boot != witness.nodes[machine.index].bootID { continue }
            fail(.dated, "\(own.id) is said to have begun \((own.startedAt - start) / Clock.day) days after it did")
        }
    }

    /// A clock that three others contradict, more than half of all, is not followed.
    mutating func checkOutvoted() {
        let errors = machines.indices.map(vouchedError)
        for node in machines.indices {
            guard let own = errors[node], !machines[node].isStepUnnoticed else { continue }
            let others = errors.indices.filter { $0 != node }.compactMap { errors[$0] }
            for error in others {
                // Those that differ by a little more or less than ten seconds may count or not.
                let agreeing = others.filter { (error...(error + 9_000)).contains($0) }
                guard agreeing.count >= 3, agreeing.count * 2 > others.count + (liar?.falseClock == nil ? 1 : 2),
                    agreeing.allSatisfy({ abs($0 - own) > 20_000 })
                else { continue }
                let instant = instant(node)
                let wrong = machines[node].engine.groupTime(instant) - Clock.epoch - now / 1_000
                if abs(wrong - error) > 10_000 {
                    fail(.outvoted, "\(Names.node(node)) is wrong by \(wrong) ms, the others by \(error) ms")
                }
            }
        }
    }
}
