// SPDX-License-Identifier: Apache-2.0

/// Handles each kind of input. Messages are handled in `Engine+Receive.swift`.
extension Engine {
    mutating func restore(_ found: Journal?, filed: Version?, _ context: inout Context) {
        link.noteStart(at: context.now.boot)
        var mark = found?.mark ?? HybridClock()
        // Without a plausible clock, group time continues as the own session knows it.
        if let own = found?.own, own.anchor.bootID == identity.bootID {
            mark = HybridClock(time: max(mark.time, own.anchor.at + (context.now.boot - own.anchor.boot)))
        }
        groupClock = GroupClock(mark: mark, at: context.now)
        context = self.context(at: context.now)
        if groupClock.source == .mark { emit(.log(.clockCorrected(by: context.groupTime - context.now.told))) }
        if let found { recovery.restore(found, filed: filed, in: &ownership, &dating, context) }
        selectTimeSource(&context)
    }

    // MARK: The connection

    mutating func linkUp(_ connection: ConnectionID, hearsItself: Bool, _ context: Context) {
        link.noteConnected(connection, at: context.now.boot)
        echoes.noteConnected(hearsItself: hearsItself)
        peers.noteConnected()
        clockSync.restart()
        ownership.publishAgain()
        notices.publishAgain()
    }

    mutating func linkDown(_ context: Context) {
        guard link.isUp else { return }
        link.noteDisconnected(at: context.now.boot)
        echoes.noteDisconnected()
        clockSync.noteDisconnected(at: context.now.boot)
    }

    /// Handles the return of the barrier, or the end of the wait for it.
    mutating func passBarrier(_ context: inout Context) {
        guard link.barrierDeadline != nil else {
            // The wait for the barrier has ended before, and what the broker keeps has arrived by now.
            if link.comparisonDeadline == nil { forgetAbsentVotes(&context) }
            return
        }
        link.noteBarrierPassed(areDatesFinal: context.bound != nil, at: context.now.boot)
        if let found = echoes.noteBarrierPassed() {
            if let note = recovery.recover(found, in: &ownership, &dating, context) {  // rule: recovery
                emit(.log(note))
            }
        }
        if isRetainedMissing {
            emit(.log(.noRetained))
            sayHello(context)
        }
        if isPeerMissing { sayHello(context) }  // rule: newcomer
        askWhatIsMissing(context)
    }

    /// Whether a node that was online on the last connection has not announced itself on this one. It may know more.
    var isPeerMissing: Bool { peers.online.contains { $0 != node && !peers.withPresence.contains($0) } }

    /// Plans to publish presence, register and notice again.
    mutating func repair(_ context: Context) { if link.isUp { echoes.repair(at: context.now.boot) } }

    // MARK: A person at this machine

    /// Begins the session that a person starts on this node.
    mutating func begin(_ start: Start, id: SessionID, ticket: Ticket, _ context: Context) {
        guard identity.role == .node else { return emit(.reply(ticket, .notPermitted)) }
        prepareStamp(context)
        var plan = start.plan
        if start.mode == .countup {
            let first = plan.first
            plan = [Phase(kind: first?.kind ?? .focus, name: first?.name, seconds: identity.defaults.countUpCap)]
        }
        let anchor = Anchor(
            elapsed: 0, at: context.groupTime, bound: context.bound, bootID: identity.bootID, boot: context.now.boot)
        var register = Register(
            id: id, lineage: id, stamp: Stamp(time: 0, counter: 0, node: node), epoch: 0, rev: 0, owner: node,
            title: start.title, icon: start.icon, label: start.label, mode: start.mode, plan: plan,
            autoAdvance: start.autoAdvance, hasAlarm: start.hasAlarm ?? identity.defaults.hasAlarm,
            hasOvertime: start.hasOvertime, phase: 0,
            status: .running, startedAt: context.groupTime, anchor: anchor,
            runs: [])
        register.openRun()
        // A start is answered like an intent whose id is that of the session.
        begin(Ownership.Beginning(register: register), reply: IntentID(id), to: ticket, context)
    }

    /// Makes sure that the next stamp is above all that count, and itself admissible.
    mutating func prepareStamp(_ context: Context) {
        dating.raiseMarkToOwnStamp(in: &ownership, context)
        if dating.mark.isAhead(context) { judgeAgain(keepsAdmitted: false, context) }
    }

    /// Begins a session, and returns whether it has begun; otherwise the reply names the invalid field.
    @discardableResult
    mutating func begin(
        _ beginning: Ownership.Beginning, reply id: IntentID, to ticket: Ticket, _ context: Context
    ) -> Bool {
        if let field = ownership.begin(beginning, stampedBy: &dating, isBarrierPassed: link.isBarrierPassed, context) {
            emit(.reply(ticket, .invalid(field)))
            return false
        }
        recovery.hasSessionBegun = true
        admission.startSession()
        answers.forgetEffects()
        guard let own = ownership.register else { return false }
        hold(.reply(ticket, .answered(Answer(intent: id, outcome: .applied, session: own.id, rev: own.rev))))
        return true
    }

    /// Decides a person's press if the session is this node's own, and else plans to ask its owner.
    mutating func press(_ press: Press, id: IntentID, ticket: Ticket, _ context: Context) {
        guard identity.mayPress else { return emit(.reply(ticket, .notPermitted)) }
        guard let moment = makeView(context).lastMoment(at: context.now.boot) else {
            return emit(.reply(ticket, .noSession))
        }
        let current = moment.register
        guard current.status.isLive || press.session != nil else { return emit(.reply(ticket, .noSession)) }
        // The person may still see a session that was taken over since.
        let session = press.session.map { isContinued($0, by: current) ? current.id : $0 } ?? current.id
        let at = context.groupTime
        let intent = Intent(
            id: id, lineage: current.lineage, session: session, phase: press.phase ?? current.phase,
            operation: press.operation, from: node, at: at, expiresAt: at + Limits.intentLife)
        if isForOwnSession(intent) {
            decide(intent, context) { .reply(ticket, .answered($0)) }
        } else if session == current.id {
            requests.add(Requests.Request(intent, of: current.owner, ticket: ticket, at: context.now.boot))
        } else {
            let isKnown = replicas.all.contains { $0.register.id == session }
            emit(.reply(ticket, isKnown ? .answered(intent.refusal(supersededBy: current)) : .noSession))
        }
    }

    /// Ends the alarm of the session that is shown. This node's notice tells the displays, even if the owner is away.
    mutating func acknowledge(id: IntentID, ticket: Ticket, _ context: Context) {
        guard identity.mayPress else { return emit(.reply(ticket, .notPermitted)) }
        guard let moment = makeView(context).lastMoment(at: context.now.boot) else {
            return emit(.reply(ticket, .noSession))
        }
        let alarm = moment.alarm
        if let alarm { notices.acknowledge(moment.register.lineage, at: max(context.groupTime, alarm.groupTime)) }
        reply(alarm == nil ? .noop : .applied, to: ticket, id: id, moment.register)
    }

    mutating func say(_ text: String, for life: Milliseconds, id: IntentID, ticket: Ticket, _ context: Context) {
        guard identity.mayPress else { return emit(.reply(ticket, .notPermitted)) }
        guard text.isEmpty || CleanText.accepts(text, bytes: Limits.titleBytes) else {
            return emit(.reply(ticket, .invalid("message")))
        }
        guard (0...Limits.messageLife).contains(life) else { return emit(.reply(ticket, .invalid("for"))) }
        notices.say(text, for: life, context)
        reply(.applied, to: ticket, id: id, nil)
    }

    private mutating func reply(_ outcome: IntentOutcome, to ticket: Ticket, id: IntentID, _ session: Register?) {
        let answer = Answer(
            intent: id, outcome: outcome, session: session?.id ?? SessionID(id), rev: session?.rev ?? 0)
        emit(.reply(ticket, .answered(answer)))
    }

    // MARK: Deciding intents

    /// Whether an intent is for a session that is or was this node's, or that this node's session continues.
    ///
    /// A script may leave the lineage out; then the session that it names is compared.
    func isForOwnSession(_ intent: Intent) -> Bool {
        guard let own = ownership.register else { return false }
        let isOfLineage = own.lineage == intent.lineage || isContinued(intent.session, by: own)
        let isAncestor = isLatest(own) && own.continues != nil && isOfLineage  // rule: retarget, else: false
        return own.id == intent.session || ownership.journal.past.contains(intent.session) || isAncestor
    }

    /// Decides an intent for the own session. `deliver` makes the effect that carries the answer.
    mutating func decide(_ intent: Intent, _ context: Context, deliver: (Answer) -> Effect) {
        guard let own = ownership.register else { return }
        switch answers.decide(intent, of: own, defaults: identity.defaults, context) {
        case .answer(let answer): hold(deliver(answer))
        case .apply(let answer, let changed):
            ownership.apply(intent, making: changed, at: context.groupTime)
            hold(deliver(answer))
        }
    }

    /// Holds an answer until the journal is written.
    mutating func hold(_ effect: Effect) {
        gate.add(effect, isRegisterChanged: ownership.isRegisterChanged)
    }
}
