// SPDX-License-Identifier: Apache-2.0

/// What the own session has been through that a continuation of it elsewhere may not know of.
struct Branch: Hashable, Sendable {
    private static let kept = 16
    /// The intents that took effect last, oldest first.
    private(set) var carried: [Intent] = []

    mutating func carry(_ intent: Intent) {
        carried.append(intent)
        if carried.count > Self.kept { carried.removeFirst() }
    }
}

/// Going on with a session whose owner does not answer, or that a person wants here.
extension Engine {
    /// Only what shows itself and keeps a journal can own a session.
    var canTakeOver: Bool { configuration.role == .node && configuration.isAnnounced }

    /// A person moves the current session to this node, whoever owns it.
    mutating func moveHere(id: IntentID, ticket: Ticket, at now: Instant) {
        guard canTakeOver else { return emit(.reply(ticket, .invalid("role"))) }
        if isViewDirty { refreshView(at: now) }
        guard let moment = view.lastMoment(at: now.boot), moment.register.status.isLive else {
            return emit(.reply(ticket, .noSession))
        }
        if moment.isOwner {
            let own = moment.register
            let answer = Answer(intent: id, outcome: .noop, session: own.id, rev: own.rev)
            return hold(.reply(ticket, .answered(answer)))
        }
        continueSession(base(of: moment, at: now), as: id, at: now, ticket: ticket)
        // What was asked of the owner before is now asked of this node.
        sendRequests(at: now)
    }

    /// Applies a person's intent to the session itself, as its new owner.
    mutating func takeOver(for request: Requests.Request, at now: Instant) {
        guard let ticket = request.ticket else { return }
        if isViewDirty { refreshView(at: now) }
        var intent = request.intent
        func deliver(_ answer: Answer) -> Effect { .reply(ticket, .answered(answer)) }
        guard let moment = view.lastMoment(at: now.boot) else { return emit(.reply(ticket, .noSession)) }
        let found = moment.register
        guard found.lineage == intent.lineage else { return emit(deliver(refusal(of: intent, because: found))) }
        intent.session = found.id
        if moment.isOwner {
            decide(intent, at: now, deliver: deliver)
            return
        }
        func answer(_ outcome: Outcome) -> Effect {
            deliver(Answer(intent: intent.id, outcome: outcome, session: found.id, rev: found.rev))
        }
        if found.applied.contains(intent.id), keeps(.appliedAtTakeover) { return emit(answer(.duplicate)) }
        if let reason = found.phaseRefusal(of: intent), keeps(.phaseFence) {
            return emit(answer(.refused(reason)))
        }
        var changed = base(of: moment, at: now)
        let outcome = changed.perform(intent.operation, defaults: configuration.defaults)
        guard outcome == .applied else { return emit(answer(outcome)) }
        continueSession(changed, as: intent.id, at: now, ticket: ticket, by: intent)
    }

    /// The session as this node sees it at this moment, on this node's clocks.
    private func base(of moment: Moment, at now: Instant) -> Register {
        var base = anchored(moment.register, since: moment.since, at: now)
        // A count-up session is not credited past the last sign of life of an owner that is gone.
        if base.mode == .countup, base.status == .running, let lostAt = moment.contactLostAt, moment.staleFor != nil,
            keeps(.lastSignOfLife)
        {
            let gone = now.boot - lostAt
            base.anchor.elapsed = max(0, base.anchor.elapsed - gone)
            base.cutRuns(at: max(0, base.anchor.at - gone))
            base.openRun()
        }
        return base
    }

    /// Makes the session this node's own: a new one of the same lineage, with all that was applied to it so far.
    private mutating func continueSession(
        _ base: Register, as id: IntentID, at now: Instant, ticket: Ticket, by intent: Intent? = nil
    ) {
        let isByDate = view.error == nil && view.register?.status == .running
        settleMark(at: now)
        let at = groupTime(now)
        var mark = keeps(.hybridClock) ? journal.mark : HybridClock()
        var own = base
        own.id = SessionID(id)
        own.continues = Continuation(node: base.owner, epoch: base.epoch, rev: base.rev, at: at)
        own.owner = node
        own.stamp = mark.stamp(at: at, node: node)
        own.last = nil
        own.supersededBy = nil
        if !keeps(.appliedInherited) { own.applied = [] }
        if let intent {
            own.last = LastIntent(intent: intent.id, op: intent.operation.name, from: intent.from, at: at)
            own.record(applied: intent.id)
        }
        install(own, mark: mark, isApproximate: isByDate, reply: id, to: ticket, at: now)
        if let intent, journal.own?.id == own.id { branch.carry(intent) }
        emit(.log(.tookOver(own.id, from: base.owner)))
    }

    /// Whether `register` is the continuation of a session that is known to be of its lineage.
    func isContinued(_ session: SessionID, by register: Register) -> Bool {
        guard keeps(.retarget), register.continues != nil, session != register.id else { return false }
        func isAncestor(_ other: Register?) -> Bool {
            other.map { $0.id == session && $0.lineage == register.lineage } ?? false
        }
        return session == register.lineage || isAncestor(journal.own)
            || registers.all.contains { isAncestor($0.register) }
    }

    /// What took effect here and did not travel with the continuation is asked of its owner, under the same ids. Not for
    /// ever: a clock that was wrong may have told when it expires.
    mutating func handOn(to winner: Register, at now: Instant) {
        guard let own = journal.own, winner.lineage == own.lineage, winner.owner != node, winner.stamp > own.stamp
        else { return }
        let time = groupTime(now)
        for var intent in branch.carried where !winner.applied.contains(intent.id) && intent.expiresAt > time {
            intent.session = winner.id
            intent.from = node
            let patience = min(intent.expiresAt - time, Limits.intentLife)
            requests.add(
                Requests.Request(intent, of: winner.owner, ticket: nil, at: now.boot, patience: patience))
        }
        guard !branch.carried.isEmpty else { return }
        branch = Branch()
        sendRequests(at: now)
    }

    /// When the own session was taken over, in group time, as far as that is known; `winner` beats it, or what went on
    /// with it.
    func takenOverAt(by winner: Register) -> Int64? {
        guard let own = journal.own else { return nil }
        let known = registers.all.map(\.register.link) + [winner.link]
        if let end = own.link.end(by: known) { return end }
        // Where only a later takeover is known, it took over from one that has taken over this session.
        var later = winner.link
        later.takeover?.node = node
        return own.link.end(by: later)
    }

    /// The own session is one that was not, and those that went on with it may be known already.
    mutating func cutAtTakeover() {
        for held in registers.all { cutAtTakeover(by: held.register) }
    }

    /// The own session's minutes end at the takeover, even if that one is heard of only after a later one.
    mutating func cutAtTakeover(by register: Register) {
        guard let own = journal.own, own.status == .superseded, register.continues?.node == node,
            keeps(.takeoverCut), let instant = takenOverAt(by: register), let end = own.runs.last?.to, end > instant
        else { return }
        change { $0.cutRuns(at: instant) }
    }
}

extension Register {
    /// Notes that an intent took effect.
    mutating func record(applied intent: IntentID) {
        applied.append(intent)
        if applied.count > Limits.applied { applied.removeFirst(applied.count - Limits.applied) }
    }
}
