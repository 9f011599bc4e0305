// SPDX-License-Identifier: Apache-2.0

/// The rules that combine the state of several parts, whichever input has changed it.
extension Engine {
    /// Applies one rule after the other until none applies.
    ///
    /// It ends because each rule removes its own cause: a deadline is cleared, the session is dated, stamped, ended or cut, a
    /// request is removed.
    mutating func react(_ context: inout Context) {
        while endDueWait(&context) || updateOwnSession(context) || advanceRequests(context) {}
    }

    // MARK: Time

    /// Ends a wait whose time has come.
    /// - Returns: Whether there was one.
    mutating func endDueWait(_ context: inout Context) -> Bool {
        if context.now.hasReached(link.barrierDeadline) {
            passBarrier(&context)
        } else if context.now.hasReached(link.timeDeadline) {
            link.timeIsKnown()
        } else if context.now.hasReached(link.comparisonDeadline) {
            link.clocksWereCompared()
            forgetAbsentVotes(&context)
        } else if context.now.hasReached(echoes.repairAt) {
            carryOutRepair(context)
        } else if context.now.hasReached(echoes.reminderAt) {
            // Without the presence: a node that has not received that asks for it.
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

    /// Ends the votes of nodes whose presence was deleted while this node was away.
    ///
    /// The broker keeps none, and they do not answer.
    mutating func forgetAbsentVotes(_ context: inout Context) {
        if echoes.sawOwnPresence {  // rule: erasedVote
            for node in clocks.estimates.keys where !peers.announced.contains(node) && !clocks.hasAnswered(node) {
                clocks.remove(node)
            }
        }
        selectTimeSource(&context)
    }

    private mutating func carryOutRepair(_ context: Context) {
        let contested = echoes.removeDueRepair(at: context.now.boot)
        link.announce()
        ownership.publishAgain()
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

    /// Dates and stamps the own session as group time requires.
    mutating func dateOwnSession(_ context: Context) -> Bool {
        guard let stamp = ownership.register?.stamp else { return false }
        if let note = dating.date(&ownership, among: replicas, context) { return log(note) }
        guard !context.admits(stamp), time.source == .own || haveReferencesAnswered,
            let note = dating.restamp(&ownership, among: replicas, context)
        else { return false }
        return log(note)
    }

    /// Dates, stamps, ends or cuts the own session as time and the other sessions require.
    private mutating func updateOwnSession(_ context: Context) -> Bool {
        guard ownership.register != nil else { return false }
        // Again: this input may have recovered a register whose boundary has passed.
        if ownership.advance(at: context.now.boot) { return true }
        if dateOwnSession(context) { return true }
        let canCompare = !startAwaitsTime && (link.isUp || !ownership.isProvisional)
        if canCompare, let note = ownership.yield(to: replicas, context) { return log(note) }
        if canCompare, link.isReady, let note = recovery.leaveProvisional(in: &ownership, context) { return log(note) }
        return ownership.cut(by: replicas, context)
    }

    /// Logs a change of the own session.
    /// - Returns: `true`, since another rule may apply now.
    private mutating func log(_ note: Note) -> Bool {
        emit(.log(note))
        return true
    }

    /// Whether a start without contact waits for group time. Until then it is neither compared with others nor published.
    var startAwaitsTime: Bool { link.timeDeadline != nil && ownership.isProvisional }

    // MARK: Intents

    /// Forwards, retargets, sends and ends requests.
    /// - Returns: Whether a takeover or an end may let another rule apply.
    private mutating func advanceRequests(_ context: Context) -> Bool {
        for intent in ownership.removeForwarded(to: replicas, context) {
            if let winner = replicas.current?.register { requests.forward(intent, to: winner, context) }
        }
        if requests.isEmpty { return false }
        let view = view(context)
        if let head = view.register, !view.isOwner { reply(requests.follow(head, context)) }
        let situation = Requests.Situation(
            head: view.register, owner: view.register.map { peers[$0.owner] } ?? Peer(), isReady: link.isReady,
            canTakeOver: canTakeOver, messagesAwaitTime: messagesAwaitTime(context))
        var hasChanged = false
        var pinged: Set<NodeID> = []
        for step in requests.removeSteps(situation, context) {
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
        if let head = view(context).register, head.status.isLive, head.lineage == request.intent.lineage,
            head.id != request.intent.session, request.refusal != nil
        {
            return requests.add(request.aimed(at: head, boot: context.now.boot))  // rule: retarget
        }
        emit(.reply(ticket, request.refusal.map { .answered($0) } ?? .noAnswer(request.intent.session)))
    }

    // MARK: Group time

    /// Selects the source of group time from all known clocks.
    ///
    /// Stamps are judged again after a jump, when the mark is ahead of the new time, and when the own clock has become
    /// vouched for. Callers need the new time at once, so this is no reaction.
    mutating func selectTimeSource(_ context: inout Context) {
        let before = time.timeBeforeStep(atBoot: context.now.boot)
        let wasWrong = GroupClock.contradict(time.wallLead + context.now.boot, before)
        let wasOwn = time.source == .own
        time.choose(
            from: clocks.readings(of: peers, at: context.now), own: node, isComplete: haveReferencesAnswered,
            at: context.now)
        context = self.context(at: context.now)
        let hasJumped = abs(time.time(at: context.now) - before) > GroupClock.tolerance
        if hasJumped { emit(.log(.clockCorrected(by: time.time(at: context.now) - context.now.wall))) }
        if hasJumped || dating.mark.isAhead(context) || (!wasOwn && context.bound != nil) {
            // Without contact a session stays although the wall clock was set.
            judgeAgain(keepsAdmitted: !link.isUp && context.now.wallBound == nil, context)
        } else if replicas.nextWake != nil {
            // A small correction also moves the time from which a stamp counts.
            admitDue(context)  // rule: smallCorrection
        }
        if context.clockQuality.isWrong != wasWrong || hasJumped {
            // The presence contains group time, which others compare with their own.
            clocks.planAgain()
            link.announce()
        }
    }

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

    /// Whether the clocks of all time references are known.
    ///
    /// Where the broker delivers no retained messages, the nodes become known one by one, and only the end of the wait counts.
    private var haveReferencesAnswered: Bool {
        guard link.isReady, isAnotherClockOnline else { return false }
        if link.comparisonDeadline == nil { return true }
        return echoes.sawOwnPresence && peers.timeReferences(for: node).allSatisfy(clocks.hasAnswered)
    }

    var isAnotherClockOnline: Bool { peers.hasAnotherClock(besides: node) }

    /// Whether vouched clocks contradict each other, so that dates are approximate.
    var isDisputed: Bool {
        clocks.contradicting.contains { peers[$0].isOnline && peers[$0].presence?.clock.synced == true }
            || time.source == .contested && link.comparisonDeadline == nil || time.source == .outvoted
    }

    /// Whether messages with a group time should wait for the first comparison of clocks.
    private func messagesAwaitTime(_ context: Context) -> Bool {
        context.now.wallBound == nil && clocks.estimates.isEmpty && !clocks.polls.isEmpty
    }

    /// The conditions that determine which nodes are asked for their clocks.
    func syncPlan(_ context: Context) -> ClockSync.Plan {
        var plan = ClockSync.Plan(
            isReady: link.isReady,
            needsReferences: context.now.wallBound == nil || clocks.comparedAt != nil || context.clockQuality.isWrong,
            since: clocks.comparedAt)
        if !view.isOwner, let shown = view.register, shown.status.isLive {
            plan.owner = shown.owner
            plan.boot = shown.anchor.bootID
        }
        return plan
    }

    mutating func ping(_ peer: NodeID, _ context: Context) {
        guard let connection = link.connection else { return }
        emit(.publish(.ping(Ping(connection: connection, sent: context.now.boot, at: context.groupTime), to: peer)))
    }
}
