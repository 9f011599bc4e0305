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
        time.followsWall ? now.wallBound.map { min($0, Limits.reading.upperBound) } : nil
    }

    /// Looks anew at all clocks that are known.
    mutating func chooseTime(at now: Instant) {
        guard keeps(.groupTime) else { return time.followWall(at: now) }
        let before = time.time(at: now.boot)
        let wasWrong = abs(time.wallLead + now.boot - before) > Limits.stampLead
        let wasVouched = time.followsWall && time.isSynced
        let others = exchange.estimates.map { node, estimate in
            // A late answer says little: where it leaves room for the own clock, there is nothing to correct.
            let isOwn = abs(estimate.lead - now.wallLead) <= estimate.bound(at: now.boot)
            return GroupClock.Reading(
                node: node, lead: isOwn ? now.wallLead : estimate.lead, groupLead: estimate.groupLead,
                isSynced: estimate.clock.synced)
        }
        time.choose(from: others, own: node, council: Limits.council, at: now)
        let shift = time.time(at: now) - before
        if abs(shift) > GroupClock.tolerance {
            emit(.log(.clockCorrected(by: time.time(at: now) - now.wall)))
            judgeAnew(at: now)
        } else if isMarkAhead(now) || (!wasVouched && timeBound(now) != nil) {
            judgeAnew(at: now)
        } else {
            stampAnewIfWrong(at: now)
        }
        dateIsKnown()
        if isClockWrong(now) != wasWrong || abs(shift) > GroupClock.tolerance {
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
        if isMarkAhead(now) { lowerMark(at: now) }
        for held in registers.all where held.isAdmitted { _ = journal.mark.see(held.stamp) }
        seeOwnStamp(at: now)
        if journal.isProvisional && !keepsAdmitted || isUndated {
            stampAnew(at: now)
        } else {
            stampAnewIfWrong(at: now)
        }
        if journal.mark != mark, disk.asked == asked { write() }
        yieldIfBeaten(at: now)
    }

    /// A mark that was set by a wrong clock would make every stamp of this node inadmissible.
    private mutating func lowerMark(at now: Instant) {
        journal.mark = HybridClock()
        if let current = registers.current { _ = journal.mark.see(current.stamp) }
        seeOwnStamp(at: now)
        time.raise(to: journal.mark, at: now)
    }

    /// It may have become admissible by time alone.
    mutating func seeOwnStamp(at now: Instant) {
        guard let own = journal.own, HeldRegister.admits(own.stamp, groupTime: groupTime(now)) else { return }
        _ = journal.mark.see(own.stamp)
    }

    /// A stamp that nobody admits, this node included, is made anew: once it is known that it is the stamp that is
    /// wrong, and not this node's clock.
    mutating func stampAnewIfWrong(at now: Instant) {
        guard let own = journal.own, !HeldRegister.admits(own.stamp, groupTime: groupTime(now)), isTimeKnown(now)
        else { return }
        stampAnew(at: now)
        yieldIfBeaten(at: now)
    }

    /// Whether group time is a wall clock that the kernel vouches for, or everybody who is there was asked. Where the
    /// broker hands out nothing that it kept, those who are there come to be known one by one.
    private func isTimeKnown(_ now: Instant) -> Bool {
        timeBound(now) != nil
            || link.isReady && hasCompany && (link.comparedBy == nil || wereAllAsked && link.sawOwnPresence)
    }

    private var wereAllAsked: Bool { council.allSatisfy { exchange.estimates[$0] != nil } }

    /// The clocks of the others were waited for long enough.
    mutating func clocksAreKnown(at now: Instant) {
        link.comparedBy = nil
        chooseTime(at: now)
    }

    /// Whether the times of the own session are still a guess.
    private var isUndated: Bool { journal.own.map { journal.undated.contains($0.id) } ?? false }

    /// Whether another's kernel vouches for group time, and all who are there were asked and none says otherwise: the own
    /// one alone can be wrong.
    private var isDateKnown: Bool {
        time.isAgreed && time.doubtedAt == nil && link.isReady && hasCompany && wereAllAsked
            && (link.comparedBy == nil || link.sawOwnPresence)
    }

    /// Somebody knows the date: from now on a session that was begun before is one like all others.
    private mutating func dateIsKnown() {
        guard let own = journal.own, isUndated, isDateKnown else { return }
        journal.undated.removeAll { $0 == own.id }
        write()
    }

    /// The own session is an earlier one again, whose time may have become known since.
    mutating func dateEarlier(at now: Instant) {
        let own = journal.own?.id
        journal.undated.removeAll { $0 != own }
        guard isUndated, !time.isGuess else { return }
        stampAnew(at: now)
        dateIsKnown()
    }

    /// Stamps the own session with its start as the corrected clock tells it: above what was seen before it, and not
    /// above what was seen since, so that a later start still wins.
    private mutating func stampAnew(at now: Instant) {
        guard let own = journal.own, keeps(.stampAnew) else { return }
        let time = groupTime(now)
        var moved = own
        if own.anchor.bootID == configuration.bootID {
            let shift = time - (now.boot - own.anchor.boot) - own.anchor.at
            moved = own.moved(by: shift, isApproximate: journal.isApproximate)
            moved.anchor.bound = timeBound(now).map { $0 + ClockEstimate.drift(in: now.boot - own.anchor.boot) }
        }
        var mark = journal.base
        if mark.time > time + Limits.stampLead {
            mark = HybridClock()
            for held in registers.all where held.isAdmitted && journal.base.isAtLeast(held.stamp) {
                _ = mark.see(held.stamp)
            }
        }
        let began = moved.continues?.at ?? moved.startedAt
        var stamp = mark.stamp(at: min(max(began, Limits.earliestStamp), time), node: node)
        // What others know keeps its place among the starts where it has ended, and never falls behind one that it has
        // beaten; then only its times are put right.
        if !own.status.isLive || stamp < own.stamp, !journal.isProvisional,
            HeldRegister.admits(own.stamp, groupTime: time)
        {
            stamp = own.stamp
        }
        guard stamp != own.stamp || isUndated && moved != own, HeldRegister.admits(stamp, groupTime: time),
            moved.flaw == nil
        else { return }
        _ = journal.mark.see(stamp)
        // Whoever knows better may be away, and the stamp have been right: it is moved back when that one is here again.
        if !isDateKnown, !isUndated, keeps(.dated) { journal.undated.append(own.id) }
        emit(.log(.stampedAnew(own.id, from: own.stamp.time, to: stamp.time)))
        change {
            $0 = moved
            $0.stamp = stamp
        }
    }
}

extension Register {
    /// The same session with its times moved, as by a clock that was wrong by so many milliseconds; after a takeover but for
    /// those that the owner before it has told.
    /// - Parameter isApproximate: Whether time may have been counted by the date that the owner before it had told.
    func moved(by shift: Int64, isApproximate: Bool = false) -> Register {
        let whole = shifted(by: shift)
        var moved = whole.keepingInherited(of: self, countsByDate: isApproximate && shift < 0) ?? whole
        moved.partRuns()
        return moved
    }

    private func shifted(by shift: Int64) -> Register {
        var register = self
        func move(_ time: Int64) -> Int64 {
            // What would lie before all sessions was told by a right clock, before the one that was wrong. Nearer than a
            // day it is another guess, since those begin there.
            if time >= Limits.earliestStamp, time + shift < Limits.earliestStamp - Limits.guess { return time }
            return min(max(time + shift, 0), Limits.time.upperBound)
        }
        register.startedAt = move(startedAt)
        register.anchor.at = move(anchor.at)
        register.continues?.at = move(continues?.at ?? 0)
        for (index, run) in runs.enumerated() {
            // One clock has told both its ends, and the anchor too where it is open: it moves whole.
            let shift = run.to.map { move($0) - $0 } ?? register.anchor.at - anchor.at
            register.runs[index].from += shift
            register.runs[index].to? += shift
        }
        return register
    }

    /// What has moved, with the times of the owner before it as they were in `told`; `nil` where these do not lie before
    /// the takeover then, because the whole space had another time.
    private func keepingInherited(of told: Register, countsByDate: Bool) -> Register? {
        guard let takeover = told.continues?.at, let end = continues?.at else { return nil }
        var kept = self
        kept.startedAt = told.startedAt
        var inherited = [told.startedAt]
        for (index, run) in told.runs.enumerated() {
            // What ran at the takeover was placed by the clock of the new owner, as what ran since.
            if let to = run.to, to < takeover || to > told.anchor.at {
                kept.runs[index] = run
                inherited.append(to)
            } else if countsByDate, run.from < takeover {
                // Unless it got its length by the date of its beginning.
                kept.runs[index].from = run.from
                guard run.from <= kept.runs[index].to ?? kept.anchor.at else { return nil }
            }
        }
        return inherited.allSatisfy { $0 <= end + Limits.stampLead } ? kept : nil
    }
}
