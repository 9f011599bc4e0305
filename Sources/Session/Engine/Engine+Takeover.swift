// SPDX-License-Identifier: Apache-2.0

/// Continuing another node's session, because its owner does not answer or a person moves it here.
extension Engine {
    /// Moves the current session to this node, also from a live owner.
    mutating func take(id: IntentID, ticket: Ticket, _ context: Context) {
        guard canTakeOver else { return emit(.reply(ticket, .notPermitted)) }
        guard let moment = makeView(context).lastMoment(at: context.now.boot), moment.register.status.isLive else {
            return emit(.reply(ticket, .noSession))
        }
        if moment.isOwner {
            let own = moment.register
            hold(.reply(ticket, .answered(Answer(intent: id, outcome: .noop, session: own.id, rev: own.rev))))
        } else {
            continueSession(anchoredHere(moment, context), as: id, ticket: ticket, context)
        }
    }

    /// Applies a person's intent to the session as its new owner.
    mutating func takeOver(for request: Requests.Request, _ context: Context) {
        guard let ticket = request.ticket else { return }
        var intent = request.intent
        guard let moment = makeView(context).lastMoment(at: context.now.boot) else {
            return emit(.reply(ticket, .noSession))
        }
        let found = moment.register
        func reply(_ answer: Answer) { emit(.reply(ticket, .answered(answer))) }
        guard found.lineage == intent.lineage else { return reply(intent.refusal(supersededBy: found)) }
        intent.session = found.id
        if moment.isOwner { return decide(intent, context) { .reply(ticket, .answered($0)) } }
        if found.hasApplied(intent) { return reply(intent.answer(.duplicate, of: found)) }  // rule: appliedAtTakeover
        var changed = anchoredHere(moment, context)
        let outcome = changed.carryOut(intent, defaults: identity.defaults)
        guard outcome == .applied else { return reply(intent.answer(outcome, of: found)) }
        continueSession(changed, as: intent.id, ticket: ticket, by: intent, context)
    }

    /// The session of this moment, anchored on this node's clocks.
    private func anchoredHere(_ moment: Moment, _ context: Context) -> Register {
        var session = moment.register.anchored(since: moment.since, context)
        // Once the session is stale, a count-up gets no credit for the time since the contact with its owner was lost.
        // rule: lastSignOfLife, else: return session
        if session.mode == .countup, session.status == .running, let lostAt = moment.contactLostAt,
            moment.staleFor != nil
        {
            let gone = context.now.boot - lostAt
            session.anchor.elapsed = max(0, session.anchor.elapsed - gone)
            session.cutRuns(at: max(0, session.anchor.at - gone))
            session.openRun()
        }
        return session
    }

    /// Makes the session this node's own: a new session of the same lineage, with the same applied intents.
    private mutating func continueSession(
        _ session: Register, as id: IntentID, ticket: Ticket, by intent: Intent? = nil, _ context: Context
    ) {
        let view = makeView(context)
        let isByDate = view.error == nil && view.register?.status == .running
        // If the former owner's group time contradicts this node's, the record has times of two clocks.
        let theirs = clockSync.estimates[session.owner].map { context.now.boot + $0.groupLead }
        let isOtherTime = theirs.map { GroupClock.contradict($0, context.groupTime) } ?? false
        prepareStamp(context)
        var own = session
        own.id = SessionID(id)
        own.continues = Continuation(node: session.owner, epoch: session.epoch, rev: session.rev, at: context.groupTime)
        own.owner = node
        own.last = intent.map {
            LastIntent(intent: $0.id, op: $0.operation.name, from: $0.from, at: context.groupTime)
        }
        own.supersededBy = nil
        // rule: appliedInherited, else: own.applied.removeAll { $0 != intent?.id }
        let beginning = Ownership.Beginning(register: own, intent: intent, isApproximate: isByDate || isOtherTime)
        guard begin(beginning, reply: id, to: ticket, context) else { return }
        emit(.log(.tookOver(own.id, from: session.owner)))
    }

    /// Whether `register` continues a session that is known to be of its lineage.
    func isContinued(_ session: SessionID, by register: Register) -> Bool {
        // rule: retarget, else: return false
        guard register.continues != nil, session != register.id else { return false }
        func isAncestor(_ other: Register?) -> Bool {
            other.map { $0.id == session && $0.lineage == register.lineage } ?? false
        }
        return session == register.lineage || isAncestor(ownership.register)
            || replicas.all.contains { isAncestor($0.register) }
    }
}
