// SPDX-License-Identifier: Apache-2.0

import Core
import Session

extension World {
    /// Something that the liar causes at a node.
    enum Caused: Hashable {
        case effect, pong, objection, correction, ping, restart, write, mark, publish

        /// The largest number in one second.
        fileprivate var limit: Int {
            switch self {
            // The burst and the rate of an allowance.
            case .effect, .pong, .objection, .correction, .ping: 121
            // One a second, and one more after each new connection and comparison of the node.
            case .restart: 12
            // Effects, and marks that rise.
            case .write: 2 * 121
            // A stamp leads by ten seconds at most, and a mark has a reserve.
            case .mark: Int((Limits.stampLead + 1_000).count / HybridClock.reserve.count) + 1
            // A register and an answer for each effect, a `busy` for each of the next 100, pongs and objections.
            case .publish: 2 * 121 + 100 + 2 * 121
            }
        }
    }

    /// Checks that the liar causes a bounded number of each thing per second.
    mutating func witnessRate(of caused: Caused, at node: Int) {
        let second = Int(now.microseconds / 1_000_000)
        if witness.nodes[node].lately.second != second { witness.nodes[node].lately = (second, [:]) }
        witness.nodes[node].lately.counts[caused, default: 0] += 1
        let count = witness.nodes[node].lately.counts[caused] ?? 0
        if count > caused.limit {
            fail(.peerBounded, "\(Names.node(node)) lets one peer cause \(count) of \(caused) in a second")
        }
    }

    /// Counts the writes that the liar causes, and among them those of a mark alone.
    mutating func witnessWrite(of journal: Journal, after before: Register?, at node: Int) {
        guard let liarsMessage else { return }
        witnessRate(of: .write, at: node)
        if case .register = liarsMessage, journal.own == before { witnessRate(of: .mark, at: node) }
    }

    /// Counts the messages to the liar, and those that it causes.
    mutating func witnessBounded(_ message: Message, by node: Int) {
        guard isLiarPresent, let liar else { return }
        if liarsMessage != nil { witnessRate(of: .publish, at: node) }
        switch message {
        case .pong(_, to: liar.node): witnessRate(of: .pong, at: node)
        case .ping(_, to: liar.node):
            witnessRate(of: .ping, at: node)
            if case .presence = liarsMessage { witnessRate(of: .restart, at: node) }
        case .ack(.fork(liar.node, _)), .ack(.clock(liar.node, _, _)): witnessRate(of: .objection, at: node)
        default: break
        }
    }

    /// Checks that no peer brings a node's counters near their ends or its mark ahead of time.
    mutating func checkCounters(in journal: Journal, at node: Int) {
        let name = Names.node(node)
        let time = machines[node].engine.groupTime(instant(node))
        let reach = isJudging(node) ? Limits.stampLead : Limits.plausibleSpan
        let latest = max(timeBefore, time) + reach + 1
        // The mark in the journal has a reserve.
        let latestMark = max(witness.nodes[node].latest, time) + reach + 1 + HybridClock.reserve
        if journal.mark.time > max(witness.nodes[node].mark, latestMark) {
            fail(.counterBounded, "\(name) raises its mark \(journal.mark.time - latest) ms too far ahead")
        }
        let before = witness.nodes[node].own
        witness.nodes[node].mark = journal.mark.time
        guard let own = journal.own else { return }
        // One objection a second raises a revision by a bounded step.
        let revisions = Limits.claimedRevisions * Int(now.microseconds / 1_000_000 + 10)
        if own.epoch > 20_000 || own.rev > revisions { fail(.counterBounded, "\(name) has come to \(own.version)") }
        let isNew = own.id != before?.id && witness.origins[own.id] == nil
        if isNew, own.stamp.time > latest || own.stamp.counter > 100_000 {
            fail(.counterBounded, "\(name) stamps \(own.stamp), \(own.stamp.time - latest) ms too far ahead")
        }
    }

    // MARK: Clocks

    /// The honest vouched clocks that a node knows: the number of online ones, and the bounds of all.
    private func honestClocks(at node: Int) -> (count: Int, leads: ClosedRange<Lead>?) {
        let (engine, instant) = (machines[node].engine, instant(node))
        let votes = engine.vouchedVotes(instant).filter { $0.key != liar?.node }
        let count = votes.count { $0.value.isPresent && engine.peers[$0.key].isOnline }
        return (count, Self.span(of: votes.values.map(\.lead)))
    }

    /// Returns the range from the smallest bound to the largest.
    static func span(of leads: [ClosedRange<Lead>]) -> ClosedRange<Lead>? {
        guard let low = leads.map(\.lowerBound).min(), let high = leads.map(\.upperBound).max() else { return nil }
        return low...high
    }

    /// Whether the liar's clock can set a node's group time. That is so if the node does not vouch, and knows fewer
    /// than two honest vouched clocks. After the liar is revoked, it can do so at a node that cannot know of that,
    /// because the broker delivers nothing retained.
    func isExposed(_ node: Int) -> Bool {
        guard liar?.falseClock != nil else { return followsRevoked(node) && !isLiarForgotten }
        return vouchedError(of: node) == nil && honestClocks(at: node).count < 2
    }

    /// Whether a node still counts the clock of the revoked liar, since it has not heard of the revocation.
    private func followsRevoked(_ node: Int) -> Bool {
        guard isLiarRevoked, let liar = liar?.node else { return false }
        return machines[node].engine.hasCompared(with: liar)
    }

    /// Checks that a false clock moves no group time where two honest clocks are vouched for.
    mutating func checkTimeHeld(at node: Int) {
        guard isLiarPresent else { return }
        // A connection may have lost the deletion of the liar's presence.
        if followsRevoked(node), let own = machines[node].own { witness.exposed.insert(own.id) }
        guard liar?.falseClock != nil else { return }
        let isExposed = isExposed(node)
        // The node may have been exposed until this input.
        if isExposed || witness.nodes[node].isExposed { witness.nodes[node].exposedAt = now }
        witness.nodes[node].isExposed = isExposed
        if isExposed {
            counters.add(.exposed)
            if let own = machines[node].own { witness.exposed.insert(own.id) }
            return
        }
        // Its program has not read its clock since a step.
        if machines[node].isStepUnnoticed { return }
        if vouchedError(of: node) != nil { return }
        let instant = instant(node)
        let time = machines[node].engine.groupTime(instant)
        // A node that returns counts from its next pong on.
        guard let leads = honestClocks(at: node).leads,
            witness.nodes[node].exposedAt.map({ now - $0 > Microseconds(.seconds(10)) }) ?? true
        else { return }
        let lead = Lead(of: time, over: instant.boot)
        // Group time stays where it was when the honest clock that it followed is forgotten, as after a sleep.
        if lead == witness.nodes[node].honestLead { return }
        // Small changes of a median are not followed.
        let beyond = max(leads.lowerBound - lead, lead - leads.upperBound)
        if beyond > 51 { fail(.timeHeld, "\(Names.node(node)) goes by a time \(beyond) ms beyond all honest ones") }
        witness.nodes[node].honestLead = lead
    }

    /// The clock that a pong must not change. No ping of this connection asked for it in the last ten seconds.
    func unaskedClock(_ input: Input, at node: Int) -> Expectation.VouchedClock? {
        guard case .received(.pong(let pong, _), let from, _) = input else { return nil }
        let instant = instant(node)
        let isAsked = pong.connection == witness.nodes[node].connection
        if isAsked, (pong.sent...pong.sent + Limits.pongAge).contains(instant.boot) { return nil }
        // A wait that is due ends first, and may remove a vote.
        let engine = machines[node].woken(at: instant).engine
        return Expectation.VouchedClock(node: from, lead: engine.vouchedVotes(instant)[from]?.lead)
    }

    /// Checks that a pong which was not asked for has changed nothing.
    mutating func check(_ clock: Expectation.VouchedClock, at node: Int) {
        guard machines[node].engine.vouchedVotes(instant(node))[clock.node]?.lead != clock.lead else { return }
        fail(.pongAsked, "\(Names.node(node)) uses a pong of \(clock.node) that it has not asked for")
    }

    // MARK: Versions

    /// Checks that no node holds a register of a version that no honest node can reach.
    mutating func checkVersion(of register: Register, heldBy node: Int) {
        guard register.owner == liar?.node, let held = machines[node].engine.register(of: register.owner) else {
            return
        }
        // By the latest plausible time of any clock.
        let bound = Limits.epochs + Limits.plausibleSpan.wholeSeconds + Milliseconds.days(1).wholeSeconds
        if held.epoch > bound { fail(.counterBounded, "\(Names.node(node)) holds \(held.owner)'s \(held.version)") }
    }

    // MARK: Minutes

    /// Checks that a session which a peer's register ends has run until the claimed takeover.
    mutating func checkCut(from before: Register, to own: Register, at node: Int) {
        // A session that is over moves with its anchor when it is dated.
        guard isLiarPresent, own.id == before.id, own.epoch == before.epoch, own.status == .superseded,
            before.status.isLive || own.anchor == before.anchor
        else { return }
        let boot = instant(node).boot
        let present = before.status == .running ? boot : before.anchor.boot
        let begin = own.continues?.at ?? own.startedAt
        let taken = everyone.compactMap { machines[node].engine.register(of: $0) }
            .filter { $0.lineage == own.lineage && $0.stamp > own.stamp }
            .compactMap { $0.continues?.at }.filter { $0 >= begin - Limits.stampLead }.min()
        // An open run keeps its length, so it moves with group time.
        let shift = own.anchor.at - before.anchor.at - (own.anchor.boot - before.anchor.boot)
        let end = taken.map { $0 - max(0, shift) } ?? .distantFuture
        let lost = before.ran(until: present, cutAt: end) - own.ran(until: boot)
        // A session that is moved back may begin before the former one has ended, and is cut there.
        if lost > 4 + max(0, -shift) { fail(.minutesTheirOwn, "\(own.id) loses \(lost) ms without a takeover") }
    }

    // MARK: Answers and credit

    /// Checks that no person gets an answer of a node that was not asked.
    mutating func checkForged(_ answer: Answer, at node: Int) {
        guard let liar, liar.forged.contains(answer), let asked = witness.asked[answer.intent]?.session else { return }
        let wasOwner = witness.nodes[node].lineagesOfLiar.contains(witness.lineage(of: asked))
        if wasOwner || liar.owns(asked) || witness.askedOfLiar.contains(answer.intent) { return }
        fail(.answerTrue, "\(Names.node(node)) gets \(answer.outcome) of \(answer.intent) by a node not asked")
    }

    /// Checks that a count-up that is taken over is credited no time after its owner's last sign of life.
    mutating func checkCredit(after input: Input, before: NodeSnapshot, at node: Int) {
        switch input {
        case .press, .take, .wake: break
        default: return
        }
        guard let own = machines[node].own, own.id != before.own?.id, own.mode == .countup, own.continues != nil,
            let shown = before.view.register, shown.status == .running, shown.lineage == own.lineage,
            let moment = before.view.lastMoment(at: instant(node).boot), moment.staleFor != nil,
            let lostAt = moment.contactLostAt, let then = before.view.lastMoment(at: lostAt)
        else { return }
        let credited = own.anchor.passed - then.elapsed
        if credited > 1_000 {
            fail(.lastSignOfLife, "\(own.id) is credited \(credited) ms after the last sign of life")
        }
    }
}

extension Register {
    /// The running time until `boot`, without the parts of runs after an instant.
    fileprivate func ran(until boot: BootTime, cutAt instant: GroupTime) -> Milliseconds {
        let total = ran(until: boot)
        let later = runs.reduce(Milliseconds.zero) { sum, run in
            let end = run.to ?? anchor.at + (boot - anchor.boot)
            return sum + max(0, end - max(run.from, instant))
        }
        return total - later
    }
}
