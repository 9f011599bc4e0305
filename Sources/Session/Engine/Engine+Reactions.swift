// SPDX-License-Identifier: Apache-2.0

/// The rules that combine the state of several parts, whichever input has changed it.
extension Engine {
    /// Applies one rule after the other until none applies. It ends, because no rule applies twice to the same cause. A
    /// wait that is over is cleared, a session gets its final date or ends, and an answered request is removed.
    mutating func react(_ context: inout Context) {
        // A node that is silent by now is not waited for.
        if groupClock.source != .own { compareClocks(context) }
        while endDueWait(&context) || noteClocks(&context) || updateOwnSession(context) || advanceRequests(context) {}
    }

    // MARK: Time

    /// Ends a wait whose time has come, and returns whether there was one.
    mutating func endDueWait(_ context: inout Context) -> Bool {
        if context.now.hasReached(link.barrierDeadline) {
            passBarrier(&context)
        } else if context.now.hasReached(link.comparisonDeadline) {
            link.endComparisonWait()
            forgetAbsentVotes(&context)
        } else if context.now.hasReached(link.answersDueAt) {
            link.endAnswerWait()
            if isPeerMissing { sayHelloNow(context) }
        } else if context.now.hasReached(link.plannedAskAt) {
            link.cancelPlannedAsk()
            sayHello(context)
        } else if context.now.hasReached(echoes.repairAt) {
            carryOutRepair(context)
        } else if context.now.hasReached(echoes.reminderAt) {
            // The presence is not published again: a node that lacks it asks for it.
            let isForNewcomer = echoes.removeDueReminder() && ownership.register.map(isLatest) ?? false
            if isForNewcomer || isOlderSessionAlive { ownership.publishAgain() }
        } else if context.now.hasReached(gate.retryAt) {
            gate.forgetRetry()
            ownership.writeAgain()
        } else {
            return false
        }
        return true
    }

    /// Ends the votes of nodes whose presence was deleted from the broker while this node was away.
    mutating func forgetAbsentVotes(_ context: inout Context) {
        if echoes.sawOwnPresence {  // rule: erasedVote
            for node in clockSync.estimates.keys
            where !peers.withPresence.contains(node) && !clockSync.hasAnswered(node) {
                clockSync.remove(node)
            }
        }
        selectTimeSource(&context)
    }

    private mutating func carryOutRepair(_ context: Context) {
        let contested = echoes.removeDueRepair(at: context.now.boot)
        link.planPresence()
        ownership.publishAgain()
        notices.publishAgain()
        if let contested { ownership.raiseVersion(above: contested) }
    }

    /// Whether an online node still holds an older live session than the own one.
    private var isOlderSessionAlive: Bool {
        guard let own = ownership.register else { return false }
        return replicas.all.contains {
            $0.register.status.isLive && $0.stamp < own.stamp && peers[$0.owner].isOnline
        }
    }

    // MARK: The own session

    /// Dates and stamps the own session as group time requires, and returns whether it has changed.
    mutating func dateOwnSession(_ context: Context) -> Bool {
        guard let stamp = ownership.register?.stamp else { return false }
        if let note = dating.date(&ownership, among: replicas, clockSync, context) { return log(note) }
        guard !context.admits(stamp), context.areDatesFinal,
            let note = dating.restamp(&ownership, among: replicas, context)
        else { return false }
        return log(note)
    }

    /// Dates, stamps, ends or cuts the own session as others and time require, and returns whether it has changed.
    private mutating func updateOwnSession(_ context: Context) -> Bool {
        guard ownership.register != nil else { return false }
        // Again: this input may have recovered a register whose boundary has passed.
        if ownership.advance(at: context.now.boot) { return true }
        if dateOwnSession(context) { return true }
        let canCompare = !startAwaitsTime && (link.isUp || !ownership.isProvisional)
        if canCompare, let note = ownership.yield(to: replicas, context) { return log(note) }
        if canCompare, link.isBarrierPassed, let note = recovery.leaveProvisional(in: &ownership, context) {
            return log(note)
        }
        return ownership.cut(by: replicas, context)
    }

    /// Logs a change of the own session, and returns `true`, since another rule may apply now.
    private mutating func log(_ note: EngineNote) -> Bool {
        emit(.log(note))
        return true
    }

    /// Whether a start without contact waits for group time. Until then it is neither compared nor published.
    var startAwaitsTime: Bool {
        ownership.isProvisional && link.isUp && groupClock.source != .own && !groupClock.areClocksKnown
    }

    // MARK: Intents

    /// Forwards, retargets, sends and ends requests. Returns whether that may let another rule apply.
    private mutating func advanceRequests(_ context: Context) -> Bool {
        for intent in ownership.removeIntentsToForward(to: replicas, context) {
            if let winner = replicas.current?.register { requests.forward(intent, to: winner, context) }
        }
        if requests.isEmpty { return false }
        let view = makeView(context)
        if let head = view.register, !view.isOwner { reply(requests.follow(head, context)) }
        let situation = Requests.Situation(
            head: view.register, owner: view.register.map { peers[$0.owner] } ?? Peer(),
            isBarrierPassed: link.isBarrierPassed,
            canTakeOver: canTakeOver,
            messagesAwaitTime: view.register.map { messagesAwaitTime(for: $0.owner) } ?? false,
            ownersTime: view.register.map { clockSync.time(of: $0.owner, context) } ?? context.groupTime)
        var hasChanged = false
        var pinged: Set<NodeID> = []
        for step in requests.advance(situation, context) {
            switch step {
            case .send(let intent, let owner):
                // One ping for all intents that leave at once.
                if let owner, pinged.insert(owner).inserted { ping(owner, context) }
                emit(.publish(.intent(intent)))
            case .takeOver(let request):
                takeOver(for: request, context)
                hasChanged = true
            case .giveUp(let request):
                giveUp(request, context)
                hasChanged = true
            }
        }
        return hasChanged
    }

    /// Ends a request that was refused, or not answered in time. If the session was continued since, its head is asked.
    private mutating func giveUp(_ request: Requests.Request, _ context: Context) {
        guard let ticket = request.ticket else { return }
        if let head = makeView(context).register, head.status.isLive, head.lineage == request.intent.lineage,
            head.id != request.intent.session, request.refusal != nil
        {
            return requests.add(request.aimed(at: head, boot: context.now.boot))  // rule: retarget
        }
        emit(.reply(ticket, request.refusal.map { .answered($0) } ?? .noAnswer(request.intent.session)))
    }

    // MARK: Group time

    /// Selects the source of group time from all known clocks. Stamps are judged again after a jump, when the mark is
    /// ahead of the new time, and when a vouched clock begins to tell it. It is no step of ``react(_:)``, since
    /// callers need the result at once.
    mutating func selectTimeSource(_ context: inout Context) {
        let now = context.now
        let before = groupClock.timeBeforeStep(atBoot: now.boot)
        let wasWrong = GroupClock.contradict(now.boot + groupClock.wallLead, before)
        let former = groupClock.source
        groupClock.choose(from: clockSync.readings(of: peers, at: now), claims: clockSync.claims.values, at: now)
        context = self.context(at: now)
        noteClocks(&context)
        let change = groupClock.time(at: now) - before
        let hasJumped = change.magnitude > GroupClock.tolerance
        notices.move(by: hasJumped ? change : 0, context)
        if hasJumped { emit(.log(.clockCorrected(by: groupClock.time(at: now) - now.told))) }
        let isNewlyVouched =
            groupClock.source == .own ? former != .own : groupClock.source == .others && !former.isVouched
        if hasJumped || dating.mark.isAhead(context) || isNewlyVouched {
            // Without contact, a session that was admitted stays so, even if the wall clock was set.
            let keepsAdmitted = !groupClock.source.isVouched || !link.isUp && now.wallBound == nil
            judgeAgain(keepsAdmitted: keepsAdmitted, context)
        } else if replicas.nextWake != nil {
            // A small correction also moves the time from which a stamp counts.
            admitDue(context)
        }
        if context.clockQuality.isWrong != wasWrong || hasJumped || (groupClock.source == .own) != (former == .own) {
            // The presence states group time, which others compare with their own, and whether this kernel vouches. A
            // clock that wavers can change both with each answer, so the rate is bounded.
            clockSync.planAgain()
            repair(context)
        }
    }

    /// Notes whether all clocks that can tell group time are known. Then, if none is vouched for, others' stamps count.
    /// - Returns: Whether they count from now on.
    @discardableResult
    private mutating func noteClocks(_ context: inout Context) -> Bool {
        guard link.isUp else { return false }
        if groupClock.source != .own {
            planClocks(context)
            let isEachNodeKnown = !isRetainedMissing || link.comparisonDeadline == nil
            groupClock.areClocksKnown = link.isBarrierPassed && isEachNodeKnown && clockSync.areReferencesKnown
            context = self.context(at: context.now)
        }
        let before = groupClock.admitsAll
        groupClock.admitsAll = groupClock.areClocksKnown && !groupClock.source.isVouched
        guard groupClock.admitsAll, !before else { return false }
        judgeAgain(keepsAdmitted: true, context)
        return true
    }

    /// Whether the broker has delivered none of the retained messages that it must have.
    var isRetainedMissing: Bool { identity.publishesPresence ? !echoes.sawOwnPresence : peers.isEmpty }

    /// Admits registers whose stamp counts from now on. A start that is made now must be above them.
    mutating func admitDue(_ context: Context) {
        for stamp in replicas.admitDue(context) { dating.raiseMark(to: stamp, in: &ownership, context) }
        askWhatIsMissing(context)
    }

    /// Judges stamps again after group time has jumped.
    mutating func judgeAgain(keepsAdmitted: Bool, _ context: Context) {
        replicas.judgeAgain(keepsAdmitted: keepsAdmitted, context)
        dating.renewMark(above: replicas, in: &ownership, context)
        // Another register may count now.
        askWhatIsMissing(context)
    }

    /// Whether vouched clocks contradict each other, so that dates are approximate.
    func isDisputed(_ context: Context) -> Bool {
        peers.vouching.contains { clockSync.isContradicting($0, context) }
    }

    /// Whether messages with a group time should wait for the clock of the node that they are for.
    private func messagesAwaitTime(for owner: NodeID) -> Bool {
        !groupClock.source.isVouched && clockSync.estimates[owner] == nil && clockSync.polls[owner] != nil
    }

    /// Chooses the nodes that are asked for their clocks.
    mutating func planClocks(_ context: Context) {
        let plan = ClockSync.Plan(
            view, isBarrierPassed: link.isBarrierPassed, needsReferences: groupClock.source != .own)
        clockSync.update(plan, among: peers, context)
    }

    mutating func ping(_ peer: NodeID, _ context: Context) {
        guard let connection = link.connection else { return }
        let held = replicas[peer]?.version ?? Version(epoch: 0, rev: 0)
        let ping = Ping(connection: connection, sent: context.now.boot, at: context.groupTime, held: held)
        emit(.publish(.ping(ping, to: peer)))
    }
}
