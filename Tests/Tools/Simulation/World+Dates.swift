// SPDX-License-Identifier: Apache-2.0

import Session

/// Checks of group time and of the dates of sessions, by the true errors of the clocks.
extension World {
    /// The error of a node's wall clock, where its kernel vouches for it and its time is plausible.
    func vouchedError(of node: Int) -> Milliseconds? {
        let instant = instant(node)
        let plausible = Limits.earliestStamp...(Limits.earliestStamp + Limits.plausibleSpan)
        guard instant.wallBound != nil, plausible.contains(instant.told) else { return nil }
        return machines[node].clock.wallError(at: now)
    }

    /// Whether a node's clock is vouched for, and whether it is wrong by group time.
    func clockState(of node: Int) -> [Bool] {
        let instant = instant(node)
        let wrong = instant.told - machines[node].engine.groupTime(instant)
        return [vouchedError(of: node) != nil, wrong.magnitude > Limits.stampLead]
    }

    /// Whether vouched clocks contradict each other. Until a person decides, a node need not admit another's starts.
    var isDisputed: Bool {
        let times = machines.indices.filter { vouchedError(of: $0) != nil }
            .map { machines[$0].engine.groupTime(instant($0)) }
        guard let first = times.min(), let last = times.max() else { return false }
        // The clock of an honest kernel is wrong by the bound at most, so two of them differ by twice as much.
        return last - first > 2 * Clock.syncedBound
    }

    /// Whether comparisons waver between a contradiction and none, since two nodes differ by about the limit.
    var isAboutToContradict: Bool {
        let times = machines.map { $0.engine.groupTime(instant($0.index)) }
        let error = Milliseconds(Int64((mix.latency + mix.jitter) / 1_000 + 200))
        return times.contains { one in
            times.contains { ((one - $0).magnitude - Limits.stampLead).magnitude <= error }
        }
    }

    /// Whether a vouched clock tells a node its time, so that it judges stamps by it.
    func isJudging(_ node: Int) -> Bool {
        vouchedError(of: node) != nil || machines[node].engine.timeOrigin != nil
    }

    /// Checks that a node whose kernel vouches goes by its own clock.
    mutating func checkOwnClock(at node: Int) {
        let instant = instant(node)
        let time = machines[node].engine.groupTime(instant)
        guard time != instant.told, vouchedError(of: node) != nil, !machines[node].isStepUnnoticed else { return }
        fail(.ownClock, "\(Names.node(node)) is \(time - instant.told) ms off its clock")
    }

    /// Checks that a node whose kernel does not vouch goes by the vouched clocks of online nodes.
    mutating func checkOnlineClocks() {
        for node in machines.indices where vouchedError(of: node) == nil && !machines[node].isStepUnnoticed {
            let (engine, instant) = (machines[node].engine, instant(node))
            let online = engine.vouchedVotes(instant).filter { $0.value.isPresent && engine.peers[$0.key].isOnline }
            guard let leads = Self.span(of: online.values.map(\.lead)) else { continue }
            let lead = Lead(of: engine.groupTime(instant), over: instant.boot)
            // Small changes of a median are not followed.
            let beyond = max(leads.lowerBound - lead, lead - leads.upperBound)
            if beyond > 51 { fail(.onlineClocks, "\(Names.node(node)) is \(beyond) ms beyond all online clocks") }
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

    /// Checks that each session has the date of its start by the true time or by a vouched clock. A vouched clock is
    /// believed within ``Limits/stampLead``, and an honest one is wrong by ``Clock/syncedBound`` at most, at the start
    /// and at the date. ``Check/dated`` lists the exemptions.
    mutating func checkDates() {
        guard machines.indices.contains(where: { vouchedError(of: $0) != nil }), !isDisputed else { return }
        witnessErrors()
        let tolerance = Limits.stampLead + 2 * Clock.syncedBound
        for machine in machines where !witness.nodes[machine.index].isForgetful {
            guard let own = machine.own, own.continues == nil, let start = witness.starts[own.id],
                !witness.exposed.contains(own.id), !witness.returned.contains(own.id)
            else { continue }
            if let boot = witness.guessedIn[own.id], boot != witness.nodes[machine.index].bootID { continue }
            let error = own.startedAt - start
            if witness.errors.contains(where: { (error - $0).magnitude <= tolerance }) { continue }
            fail(.dated, "the date of \(own.id) is \(error) ms after its start")
        }
    }

    /// Checks that no node goes by a clock whose vote has ended. Its time is within a day of a plausible wall clock.
    mutating func checkVotes() {
        guard isLiarForgotten else { return }
        let plausible = Limits.earliestStamp...Limits.earliestStamp + Limits.plausibleSpan
        let walls = machines.map { instant($0.index).told }.filter(plausible.contains)
        for machine in machines where !walls.isEmpty {
            // Without a plausible clock, the latest mark is followed, also that of a node that is gone.
            if !plausible.contains(instant(machine.index).told), !isJudging(machine.index) { continue }
            let time = machine.engine.groupTime(instant(machine.index))
            // Within a day, since a node may still go by a clock as it was before it was set.
            guard let error = walls.map({ ($0 - time).magnitude }).min(), error > .days(1) else { continue }
            fail(.voteEnds, "\(machine.id) goes by a time that is \(error) ms from all clocks")
        }
    }
}
