// SPDX-License-Identifier: Apache-2.0

/// Group time, and what follows when it turns out to be another one.
extension Engine {
    /// Group time in milliseconds since 1970: the one clock of a space, whatever the wall clocks of its nodes say.
    public func groupTime(_ now: Instant) -> Int64 {
        min(max(time.time(at: now), Limits.time.lowerBound), Limits.time.upperBound)
    }

    /// Whether this machine's wall clock is too wrong for its stamps to be admitted.
    func isClockWrong(_ now: Instant) -> Bool { abs(now.wall - groupTime(now)) > Limits.stampLead }

    /// By how many milliseconds group time is off from true time at most, where the kernel vouches for it.
    func timeBound(_ now: Instant) -> Int64? {
        time.source == .own ? now.wallBound.map { min($0, Limits.reading.upperBound) } : nil
    }

    /// Looks anew at all clocks that are known.
    mutating func chooseTime(at now: Instant) {
        let before = time.time(at: now.boot)
        let (wasWrong, wasOwn) = (abs(time.wallLead + now.boot - before) > Limits.stampLead, time.source == .own)
        let others = exchange.estimates.map { node, estimate in
            // A late answer says little: where it leaves room for the own clock, there is nothing to correct.
            let isOwn = abs(estimate.lead - now.wallLead) <= estimate.bound(at: now.boot)
            return GroupClock.Reading(
                node: node, lead: isOwn ? now.wallLead : estimate.lead, groupLead: estimate.groupLead,
                isVouched: estimate.clock.synced, isPresent: estimate.isPresent && peers[node].isOnline)
        }
        time.choose(from: others, own: node, isComplete: wereAllAsked, rules: configuration.rules, at: now)
        let shift = time.time(at: now) - before
        let hasJumped = abs(shift) > GroupClock.tolerance
        if hasJumped { emit(.log(.clockCorrected(by: time.time(at: now) - now.wall))) }
        if hasJumped || isMarkAhead(now) || (!wasOwn && timeBound(now) != nil) {
            judgeAnew(at: now)
        } else {
            stampAgain(at: now)
        }
        dateOwn(at: now)
        if isClockWrong(now) != wasWrong || hasJumped {
            // Others compare the time that it says with their own.
            exchange.lookAnew()
            publishPresence(at: now)
        }
    }

    /// Whether a stamp above all that were seen would itself not be admitted: group time was later when they were.
    func isMarkAhead(_ now: Instant) -> Bool { journal.mark.time > groupTime(now) + Limits.stampLead }

    /// Before a stamp is made: all that count lie below the mark, and it is not so far ahead that the next would not count.
    mutating func settleMark(at now: Instant) {
        guard keeps(.groupTime), keeps(.hybridClock) else { return }
        seeOwnStamp(at: now)
        if isMarkAhead(now) { judgeAnew(at: now, isFinal: true) }
    }

    /// Group time has jumped: what was told by the old one is told by the new one.
    /// - Parameter isFinal: Whether what was admitted may be so no longer although no other clock was asked yet.
    mutating func judgeAnew(at now: Instant, isFinal: Bool = false) {
        let keepsAdmitted = !isFinal && !link.isUp && now.wallBound == nil
        let time = groupTime(now)
        let mark = journal.mark
        let asked = disk.asked
        for held in registers.all {
            var again = HeldRegister(held, groupTime: time, bound: timeBound(now), boot: now.boot)
            // A session does not vanish because somebody sets the clock of a machine without contact.
            if keepsAdmitted && held.isAdmitted || !keeps(.admission) { again.admitAnyway() }
            registers.hold(again)
        }
        isViewDirty = true
        // A mark that a wrong clock has set would keep every stamp of this node from being admitted.
        if isMarkAhead(now) { journal.mark = HybridClock() }
        for held in registers.all where held.isAdmitted { _ = journal.mark.see(held.stamp) }
        seeOwnStamp(at: now)
        dateOwn(at: now)
        stampAgain(at: now)
        if journal.mark != mark, disk.asked == asked { write() }
        yieldIfBeaten(at: now)
    }

    /// It may have become admissible by time alone.
    mutating func seeOwnStamp(at now: Instant) {
        guard let own = journal.own, HeldRegister.admits(own.stamp, groupTime: groupTime(now)) else { return }
        _ = journal.mark.see(own.stamp)
    }

    /// Whether the clocks of all that are to be asked are known. Where the broker hands out nothing that it kept, those
    /// who are there come to be known one by one.
    private var wereAllAsked: Bool {
        guard link.isReady, hasCompany else { return false }
        return link.comparedBy == nil || link.sawOwnPresence && council.allSatisfy(exchange.hasAnswered)
    }

    /// Whether clocks that are vouched for contradict each other: then what is dated by one of them is approximate.
    var isDisputed: Bool {
        exchange.contradicting.contains { peers[$0].isOnline && peers[$0].presence?.clock.synced == true }
            || time.source == .contested && link.comparedBy == nil || time.source == .outvoted
    }

    /// Moves the own session with group time while its date is a guess: for the last time when group time is vouched for.
    mutating func dateOwn(at now: Instant) {
        guard journal.isGuess, keeps(.dated), let own = journal.own else { return }
        let shift = shift(of: own, at: now)
        let isFinal = time.source.isVouched
        guard isFinal || abs(shift) > GroupClock.tolerance else { return }
        if isFinal, keeps(.dateFinal) { journal.isGuess = false }
        var moved = own.moved(by: shift)
        moved.anchor.bound = timeBound(now).map { $0 + ClockEstimate.driftBound(in: now.boot - own.anchor.boot) }
        moved.stamp = stamp(of: own, movedBy: shift, at: now)
        guard moved != own, moved.flaw == nil else { return write() }
        emit(.log(.stampedAnew(own.id, from: own.stamp.time, to: moved.stamp.time)))
        change { $0 = moved }
        yieldIfBeaten(at: now)
    }

    /// Makes a stamp again that group time does not admit, once it is known that it is the stamp that is wrong, and not
    /// this node's clock. The session's dates stay.
    mutating func stampAgain(at now: Instant) {
        guard let own = journal.own, !HeldRegister.admits(own.stamp, groupTime: groupTime(now)), keeps(.stampAnew),
            time.source == .own || wereAllAsked
        else { return }
        let stamp = stamp(of: own, movedBy: shift(of: own, at: now), at: now)
        guard stamp != own.stamp else { return }
        journal.isApproximate = true
        emit(.log(.stampedAnew(own.id, from: own.stamp.time, to: stamp.time)))
        change { $0.stamp = stamp }
        yieldIfBeaten(at: now)
    }

    /// By how much group time is later than that by which the session's anchor was told.
    private func shift(of own: Register, at now: Instant) -> Int64 {
        groupTime(now) - (now.boot - own.anchor.boot) - own.anchor.at
    }

    /// The stamp of the own session when its times are moved: above what was seen before it, and not above what was seen
    /// since, so that a later start still wins. What others know keeps its place among the starts where it has ended, and
    /// never falls behind one that it has beaten.
    private mutating func stamp(of own: Register, movedBy shift: Int64, at now: Instant) -> Stamp {
        let time = groupTime(now)
        let began = (own.continues?.at ?? own.startedAt) + shift
        var mark = journal.base
        if mark.time > time + Limits.stampLead {
            mark = HybridClock()
            // A clock that was ahead had the base above the starts that came since, too.
            for held in registers.all
            where held.isAdmitted && journal.base.isAtLeast(held.stamp) && held.stamp.time <= began + Limits.stampLead {
                _ = mark.see(held.stamp)
            }
        }
        let stamp = mark.stamp(at: min(max(began, Limits.earliestStamp), time), node: node)
        let isKept = !journal.isProvisional && (!own.status.isLive || stamp < own.stamp)
        if isKept, HeldRegister.admits(own.stamp, groupTime: time) || !HeldRegister.admits(stamp, groupTime: time) {
            return own.stamp
        }
        _ = journal.mark.see(stamp)
        return stamp
    }
}

extension Register {
    /// The same session with its times moved by `shift` milliseconds. After a takeover those stay that the owner before it
    /// has told, unless they would lie behind the takeover: then the whole space had another time, and all move.
    func moved(by shift: Int64) -> Register {
        func move(_ time: Int64) -> Int64 { min(max(time + shift, 0), Limits.time.upperBound) }
        func isInherited(_ run: Run) -> Bool {
            // What ran at the takeover was placed by the clock of the new owner, as what ran since.
            guard let takeover = continues?.at, let to = run.to else { return false }
            return to < takeover || to > anchor.at
        }
        let inherited = [startedAt] + runs.filter(isInherited).compactMap(\.to)
        let stays = continues.map { taken in inherited.allSatisfy { $0 <= move(taken.at) + Limits.stampLead } } ?? false
        var moved = self
        if !stays { moved.startedAt = move(startedAt) }
        moved.anchor.at = move(anchor.at)
        moved.continues?.at = move(continues?.at ?? 0)
        for (index, run) in runs.enumerated() where !stays || !isInherited(run) {
            moved.runs[index] = Run(phase: run.phase, from: move(run.from), to: run.to.map(move))
        }
        moved.partRuns()
        return moved
    }
}
