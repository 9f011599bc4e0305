// SPDX-License-Identifier: Apache-2.0

import Session

/// Checks of group time and of the dates of sessions, by the true errors of the clocks.
extension World {
    /// The error of a node's wall clock, where its kernel vouches for it and its time is plausible.
    func vouchedError(of node: Int) -> Int64? {
        let instant = instant(node)
        let plausible = Limits.earliestStamp...(Limits.earliestStamp + Limits.plausibleMilliseconds)
        guard instant.wallBound != nil, plausible.contains(instant.wall) else { return nil }
        return machines[node].clock.wallError(at: now)
    }

    /// Whether a node's clock is vouched for, and whether it is wrong by group time.
    func clockState(of node: Int) -> [Bool] {
        let instant = instant(node)
        let wrong = instant.wall - machines[node].engine.groupTime(instant)
        return [vouchedError(of: node) != nil, abs(wrong) > Limits.stampLead]
    }

    /// Whether vouched clocks contradict each other and no three outvote the rest. A person then has to say which is right;
    /// until then one node need not admit the starts of another.
    var isDisputed: Bool {
        let times = machines.indices.filter { vouchedError(of: $0) != nil }
            .map { machines[$0].engine.groupTime(instant($0)) }
        guard let first = times.min(), let last = times.max() else { return false }
        // An honest kernel is wrong by half of it at most.
        return last - first > 2 * Clock.syncedBound
    }

    /// Checks that a vouched clock is given up only where three online nodes contradict it.
    mutating func checkOwnClock(at node: Int) {
        let instant = instant(node)
        let time = machines[node].engine.groupTime(instant)
        guard time != instant.wall, vouchedError(of: node) != nil, !machines[node].isStepUnnoticed else { return }
        // The liar can be the third beside two that are wrong, until the end of its membership arrives here.
        let others = machines[node].engine.peers.online.count { $0 != machines[node].id && $0 != liar?.node }
        let votes = machines[node].engine.vouchedVotes(instant)
        let needed = liar.map { votes[$0.node] == nil } ?? true ? 3 : 2
        if others < needed {
            fail(
                .ownClock,
                "\(Names.node(node)) is \(time - instant.wall) ms off its clock, with \(others) others online")
        }
    }

    /// Checks that a date from a vouched clock stays.
    mutating func checkDate(in journal: Journal, at node: Int) {
        guard let own = journal.own else { return }
        // A register that the disk lost and the broker kept is recovered in a new epoch, with its old dates.
        let isForgetful = witness.nodes[node].isForgetful
        if let dated = witness.nodes[node].dated, dated.session == own.id, dated.startedAt != own.startedAt,
            !isForgetful || dated.epoch == own.epoch
        {
            fail(.dated, "\(own.id) is moved by \(own.startedAt - dated.startedAt) ms after it was dated")
        }
        guard vouchedError(of: node) != nil || !journal.isGuess else { return }
        witness.nodes[node].dated = (own.id, own.startedAt, own.epoch)
    }

    /// Notes the errors of all vouched clocks. A date may come from any clock that was vouched for when it was final.
    mutating func witnessErrors() { witness.errors.formUnion(machines.indices.compactMap(vouchedError)) }

    /// Checks that each session has the date of its start by the true time or by a vouched clock.
    ///
    /// A vouched clock is believed within ``Limits/stampLead``, and an honest one is wrong by ``Clock/syncedBound`` at
    /// most, at the start and at the date. ``Check/dated`` lists the exemptions.
    mutating func checkDates() {
        guard machines.indices.contains(where: { vouchedError(of: $0) != nil }), !isDisputed else { return }
        witnessErrors()
        let tolerance = Limits.stampLead + 2 * Clock.syncedBound
        for machine in machines where !witness.nodes[machine.index].isForgetful {
            guard let own = machine.own, own.continues == nil, let start = witness.starts[own.id],
                !witness.exposed.contains(own.id)
            else { continue }
            if let boot = witness.guessedIn[own.id], boot != witness.nodes[machine.index].bootID { continue }
            let error = own.startedAt - start
            if witness.errors.contains(where: { abs(error - $0) <= tolerance }) { continue }
            fail(.dated, "the date of \(own.id) is \(error) ms after its start")
        }
    }

    /// Checks that no node goes by a clock whose vote has ended.
    ///
    /// Where a clock can be right, each node goes by such a one.
    mutating func checkVotes() {
        guard isLiarForgotten else { return }
        let walls = machines.map { instant($0.index).wall }
            .filter { $0 >= Limits.earliestStamp && $0 <= Limits.earliestStamp + Limits.plausibleMilliseconds }
        for machine in machines where !walls.isEmpty {
            let time = machine.engine.groupTime(instant(machine.index))
            // A clock that was set since counts as it was.
            guard let error = walls.map({ abs($0 - time) }).min(), error > Clock.day else { continue }
            fail(.voteEnds, "\(machine.id) goes by a time that is \(error) ms from all clocks")
        }
    }

    /// Checks that no clock is followed that three others contradict, more than half of all.
    mutating func checkOutvoted() {
        let errors = machines.indices.map(vouchedError)
        for node in machines.indices {
            guard let own = errors[node], !machines[node].isStepUnnoticed else { continue }
            let others = errors.indices.filter { $0 != node }.compactMap { errors[$0] }
            for error in others {
                // Clocks that differ by about ten seconds may count or not.
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
