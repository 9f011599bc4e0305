// SPDX-License-Identifier: Apache-2.0

/// This node's own session: start, boundaries, yield.
extension Engine {
    mutating func restore(_ found: Journal?, at now: Instant) {
        link.downSince = now.boot
        if let found { journal = found }
        if keeps(.groupTime) {
            var mark = journal.mark
            // Where only the mark is known, group time goes on as the own session has it.
            if let own = journal.own, own.anchor.bootID == configuration.bootID {
                mark = HybridClock(time: max(mark.time, own.anchor.at + now.boot - own.anchor.boot))
            }
            time = GroupClock(mark: mark, at: now)
            if time.source == .mark { emit(.log(.clockCorrected(by: groupTime(now) - now.wall))) }
        }
        lowerEpoch(at: now)
        settleOnBoot(at: now)
        chooseTime(at: now)
    }

    /// A journal whose epoch no reader takes: an earlier version of this program let others raise it to any number.
    private mutating func lowerEpoch(at now: Instant) {
        guard !Admission.isPlausible(Version(epoch: journal.epoch, rev: 0), groupTime: groupTime(now)) else { return }
        journal.epoch = 1
        guard let own = journal.own else { return }
        replaceOwn(with: own, above: Version(epoch: 1, rev: 0))
    }

    /// After a reboot the register's anchor is on a clock that is gone: it moves onto the present one, by date.
    ///
    /// A final one too, with a revision of its own: the broker's copy would otherwise differ under the same version.
    mutating func settleOnBoot(at now: Instant) {
        isViewDirty = true
        guard let own = journal.own, own.anchor.bootID != configuration.bootID else { return }
        let since = max(0, groupTime(now) - own.anchor.at)
        var moved = own.advanced(since: since, lateness: Limits.lateness)
        let rest = since - (moved.anchor.at - own.anchor.at)
        if own.status == .running { journal.isApproximate = true }
        // Two clocks may have told its times now: the error of one says nothing about the other.
        if time.source != .mark { journal.isGuess = false }
        // Time does not go back: a clock that says so does not part the anchor from the times that were told before it.
        let isBehind = groupTime(now) < own.anchor.at
        if moved.status == .running, !isBehind {
            moved = anchored(moved, since: rest, at: now)
        } else {
            // A boot clock has no reading from before the boot. The anchor stays one instant on both clocks: peers go
            // by it to tell where this boot lies on theirs.
            let ago = min(max(rest, 0), now.boot, groupTime(now))
            moved.anchor.at = max(groupTime(now) - ago, moved.anchor.at)
            moved.anchor.bound = isBehind ? nil : timeBound(now)
            moved.anchor.bootID = configuration.bootID
            moved.anchor.boot = now.boot - ago
        }
        change { $0 = moved }
    }

    /// Carries the own session over the boundaries that time has crossed, so that whatever follows sees the present.
    mutating func advanceOwn(at now: Instant) {
        guard let boundary, boundary <= now.boot, let own = journal.own else { return }
        let advanced = own.advanced(
            since: now.boot - own.anchor.boot, lateness: keeps(.lateness) ? Limits.lateness : nil)
        change { $0 = advanced }
    }

    mutating func begin(_ start: Start, id: SessionID, ticket: Ticket, at now: Instant) {
        guard configuration.role == .node else { return emit(.reply(ticket, .invalid("role"))) }
        settleMark(at: now)
        let at = groupTime(now)
        let anchor = Anchor(
            elapsed: 0, at: at, bound: timeBound(now), bootID: configuration.bootID, boot: now.boot)
        var mark = keeps(.hybridClock) ? journal.mark : HybridClock()
        var register = Register(
            id: id, lineage: id, stamp: mark.stamp(at: at, node: node), epoch: 0, rev: 0, owner: node,
            title: start.title, icon: start.icon, label: start.label, mode: start.mode, plan: plan(of: start),
            autoAdvance: start.autoAdvance, phase: 0, status: .running, startedAt: at, anchor: anchor, runs: [])
        register.openRun()
        // A start is answered like an intent; its id is that of the session it makes.
        install(register, mark: mark, reply: IntentID(id), to: ticket, at: now)
    }

    /// Makes a new session the own one.
    /// - Parameter isApproximate: Whether some of its time was counted by date.
    mutating func install(
        _ new: Register, mark: HybridClock, isApproximate: Bool = false, reply id: IntentID, to ticket: Ticket,
        at now: Instant
    ) {
        let last = journal.own?.version ?? Version(epoch: journal.epoch, rev: 0)
        let version = last.next
        // Nobody would accept a register under a version that was there before.
        guard version > last else { return emit(.reply(ticket, .invalid("epoch"))) }
        var register = new
        register.epoch = version.epoch
        register.rev = version.rev
        if let flaw = register.flaw { return emit(.reply(ticket, .invalid(flaw))) }
        let ended = journal.own.map { $0.status.isLive ? ownAtPresent($0, now: now).ended(by: register) : $0 }
        if let ended {
            retire(ended.id)
            if journal.own != ended {
                var told = ended
                told.epoch = version.epoch
                told.rev = version.rev
                emit(.record(told, isApproximate: journal.isApproximate))
            }
        }
        journal.isApproximate = isApproximate || isDisputed
        if !link.isReady, keeps(.provisional) {
            if !journal.isProvisional {
                journal.before = ended
                journal.isGuessBefore = journal.isGuess
            }
            journal.isProvisional = true
        } else {
            journal.isProvisional = false
            journal.before = nil
            link.timeDeadline = nil
        }
        journal.isGuess = !time.source.isVouched
        journal.base = journal.mark
        journal.epoch = version.epoch
        journal.mark = mark
        journal.own = register
        isViewDirty = true
        disk.isFresh = true
        branch = Branch()
        admission.startSession()
        answers.effects = Answers.Memory()
        let answer = Answer(intent: id, outcome: .applied, session: register.id, rev: version.rev)
        writeOwn(then: .reply(ticket, .answered(answer)))
    }

    /// Remembers a session that another one of this node has replaced.
    mutating func retire(_ session: SessionID) {
        journal.past = (journal.past + [session]).suffix(Answers.pastSessions)
    }

    private func plan(of start: Start) -> [Phase] {
        guard start.mode == .countup else { return start.plan }
        let first = start.plan.first
        return [Phase(kind: first?.kind ?? .focus, name: first?.name, seconds: configuration.defaults.countUpCap)]
    }

    /// Ends the own session when a later start is known. Written down and published before anything else is handled.
    mutating func yieldIfBeaten(at now: Instant) {
        // A start made without contact is compared when its time is known.
        guard keeps(.yield), link.timeDeadline == nil, let own = journal.own, own.status.isLive,
            let winner = registers.current?.register,
            winner.stamp > own.stamp
        else { return }
        let at = groupTime(now)
        let superseder = Superseder(session: winner.id, node: winner.owner, at: at)
        let present = ownAtPresent(own, now: now)
        let takenOverAt = keeps(.takeoverCut) ? takenOverAt(by: winner) : nil
        change {
            $0 = present
            $0.closeRun(at: at)
            if let takenOverAt { $0.cutRuns(at: takenOverAt) }
            $0.status = .superseded
            $0.supersededBy = superseder
        }
        emit(.log(.superseded(own.id, by: superseder)))
    }

    /// The own register with its anchor at the present instant.
    @inline(__always) func ownAtPresent(_ own: Register, now: Instant) -> Register {
        anchored(own, since: now.boot - own.anchor.boot, at: now)
    }

    /// A register with its anchor at the present instant of this node's clocks, `since` milliseconds after the present one.
    @inline(__always) func anchored(_ register: Register, since: Int64, at now: Instant) -> Register {
        var anchored = register.anchored(
            at: groupTime(now), bound: timeBound(now), boot: now.boot, bootID: configuration.bootID, since: since)
        if !keeps(.runLength), let open = register.runs.last, open.to == nil, anchored.runs.last?.phase == open.phase {
            anchored.runs[anchored.runs.count - 1].from = open.from
        }
        return anchored
    }

    /// Changes the own register, raises its version above itself and `other`, and writes it down; it is published once
    /// it is on disk.
    mutating func change(above other: Version? = nil, _ body: (inout Register) -> Void) {
        guard var own = journal.own else { return }
        let version = max(own.version, other ?? own.version)
        body(&own)
        replaceOwn(with: consume own, above: version)
    }

    /// Puts another state in the place of the own register, under the version that follows `version`. `cause` is the
    /// intent that led to it, if one did.
    mutating func replaceOwn(
        with changed: consuming Register, above version: Version, by cause: LastIntent? = nil, then after: Effect? = nil
    ) {
        let version = version.next
        changed.last = cause
        changed.epoch = version.epoch
        changed.rev = version.rev
        journal.epoch = version.epoch
        journal.own = changed
        if !journal.isApproximate, isDisputed { journal.isApproximate = true }
        isViewDirty = true
        writeOwn(then: after)
    }
}
