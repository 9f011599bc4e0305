// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Judges a message of a node, and gives an accepted one to the part that it is for.
    mutating func receive(_ message: Message, from sender: NodeID, retained: Bool, _ context: inout Context) {
        let isSignOfLife = !retained && (sender != node || identity.publishesPresence) && !message.mayBeWill
        let receivedAt = isSignOfLife ? context.now.boot : nil
        if !peers.enterIfRoom(sender, receivedAt: receivedAt) {
            makeRoom(for: message, isHere: isSignOfLife, context)
            guard peers.enterIfRoom(sender, receivedAt: receivedAt) else { return discard(.tooManyNodes, from: nil) }
        }
        if case .ack(.answer(let answer)) = message, !isSelf(sender) {
            askForRevision(of: answer, from: sender, context)
        }
        switch judge(message, from: sender, context) {
        case .accepted: break
        case .ignored: return
        case .busy: return discard(.tooOften, from: sender)
        case .refused(let reason):
            discard(reason, from: sender)
            // It has replaced the own register at the broker.
            if case .register = message, isSelf(sender) { repair(context) }
            return
        }
        switch message {
        case .presence(let presence): receive(presence, from: sender, retained: retained, &context)
        case .register(let register) where isSelf(sender): receiveEcho(register, context)
        case .register(let register): receive(register, retained: retained, context)
        case .notice(let notice): notices.receive(notice, from: sender, context)
        case .intent(let intent): answer(intent, context)
        case .ack(let ack): receive(ack, from: sender, context)
        case .hello:
            link.cancelPlannedAsk()
            if link.isUp { echoes.answerHello(of: node, at: context.now.boot) }
        case .ping(let ping, _): answer(ping, of: sender, &context)
        case .pong(let pong, _): receive(pong, from: sender, &context)
        }
    }

    /// Makes room for a sender: forgets a passing sender whose intents have all expired, or a gone node. A newcomer
    /// that is gone too replaces only a node with an older session, so the newest session stays known.
    private mutating func makeRoom(for message: Message, isHere: Bool, _ context: Context) {
        let limit = context.now.boot - Limits.intentLife
        var gone = peers.forgetSilent(since: limit) { [node, replicas] in $0 == node || replicas[$0] != nil }
        if gone == nil {
            var replaceableBelow: Stamp? = Stamp(time: 0, counter: 0, node: node)
            switch message {
            case _ where isHere: replaceableBelow = nil
            case .presence(let presence) where presence.isOnline: replaceableBelow = nil
            case .register(let register) where context.admits(register.stamp): replaceableBelow = register.stamp
            default: break
            }
            gone = peers.forgetAbsent(
                since: limit, below: replaceableBelow,
                stamp: { [replicas] in replicas[$0].flatMap { $0.isAdmitted ? $0.stamp : nil } },
                unless: { [node, replicas] in $0 == node || $0 == replicas.current?.owner })
        }
        guard let gone else { return }
        replicas.remove(gone)
        admission.forget(gone)
        answers.forget(gone)
        clockSync.remove(gone)
        notices.forget(gone)
    }

    private mutating func judge(_ message: Message, from sender: NodeID, _ context: Context) -> Admission.Verdict {
        var situation = Admission.Situation(context: context, isSelf: isSelf(sender), connection: link.connection)
        if case .ack(.answer(let answer)) = message, let request = requests[answer.intent] {
            situation.request = request
            situation.head = makeView(context).register.map { ($0.owner, $0.lineage) }
        }
        let verdict = Admission.judge(message, from: sender, in: situation)
        guard verdict == .accepted else { return verdict }
        switch message {
        case .ping: return admission.charge(.ping, to: sender, context)  // rule: pongRate, else: .accepted
        case .pong: return admission.charge(.pong, to: sender, context)  // rule: usedPongRate, else: .accepted
        case .notice: return admission.charge(.notice, to: sender, context)
        default: return verdict
        }
    }

    mutating func discard(_ reason: Discard, from sender: NodeID?) {
        if peers.discard(reason, from: sender) { emit(.log(.discarded(reason, from: sender))) }
    }

    // MARK: Presences

    /// Notes a node's presence and its clock, or repairs this node's own presence at the broker.
    private mutating func receive(_ presence: Presence, from sender: NodeID, retained: Bool, _ context: inout Context) {
        if isSelf(sender) {
            // Only a retained presence proves that the broker delivers retained messages.
            if retained { echoes.noteOwnPresence() }
            let isAsleep = presence.isSleeping && !link.isSleeping
            let isOutdated = !presence.isOnline || isAsleep || presence.connection != link.connection
            if isOutdated { repair(context) }  // rule: presenceRepair
            return
        }
        let wasVouching = peers.vouching.contains(sender)
        let change = peers.receive(presence, from: sender, retained: retained, at: context.now.boot)
        if presence.isOnline, !retained, presence.role != .display {
            receive(claim: presence.at, of: sender, &context)
        }
        guard case .changed(let known) = change else { return }
        let isOnline = peers[sender].isOnline
        if !isOnline, known.isOnline { clockSync.noteGone(sender) }
        if isOnline != known.isOnline || presence.isOnline != known.presence?.isOnline { clockSync.planAgain() }
        let hasChanged = peers.vouching.contains(sender) != wasVouching
        if hasChanged { clockSync.planAgain() }
        // The estimate from before a suspend may be wrong. The node's time is still followed until its next pong.
        let wasSuspended = isOnline && known.presence?.isSleeping == true
        let isUnvouched =
            presence.isOnline && !presence.clock.isSynced
            && (clockSync.noteUnvouched(sender) || groupClock.origin == sender)
        if wasSuspended { clockSync.forget(sender) }
        if hasChanged && !wasSuspended || isUnvouched, groupClock.source == .others { selectTimeSource(&context) }
        // Not `isOnline`, since the first presence of a connection may say that its node sleeps.
        if presence.isOnline, known.presence?.connection != presence.connection {
            clockSync.restart(with: sender)
            // The broker may not have kept the current register for the newcomer.
            if !retained { planReminder(isForNewcomer: true, context) }  // rule: newcomer
        }
    }

    // MARK: Registers

    private mutating func receiveEcho(_ echo: Register, _ context: Context) {
        // The broker has the session, so others know it. A crash may have undone the journal that says so.
        if echo.id == ownership.register?.id { ownership.noteAnnounced() }
        switch echoes.receive(echo, journal: ownership.journal, isBarrierPassed: link.isBarrierPassed) {
        case .nothingToDo: break
        case .lost: emit(.log(recovery.adopt(echo, in: &ownership, &dating, context)))
        case .contested: repair(context)
        case .outdated:
            if let own = ownership.register { emit(.log(.repaired(own.version))) }
            repair(context)
        }
    }

    /// Keeps another node's register, unless it contradicts what is held, and settles the requests that it answers.
    private mutating func receive(_ register: Register, retained: Bool, _ context: Context) {
        let sender = register.owner
        if !retained { clockSync.noteHeard(sender) }
        let measured = clockSync.estimates[sender].flatMap {
            return $0.bootID == register.anchor.bootID ? $0.offset : nil  // rule: bootClock, else: nil
        }
        switch replicas.receive(register, measured: measured, context) {
        case .known:
            planReminder(below: register, retained: retained, context)
            askForPresence(of: sender, retained: retained, context)
            return
        case .contradicted(let version):
            // Its author may have lost the end of its journal, and found nothing at the broker. An objection can be
            // lost like any message, so each such register gets one.
            object(.fork(node: sender, version: version), to: sender, context)
            if let held = replicas[sender]?.register { planReminder(below: held, retained: retained, context) }
            return
        case .admitted: dating.raiseMark(to: register.stamp, in: &ownership, context)
        case .notAdmitted(let isNews) where context.source.isVouched:
            if isNews { emit(.log(.clockWrong(sender, stamp: register.stamp.time))) }
            clockSync.compareAgain(at: context.now.boot)
            object(.clock(node: sender, session: register.id, at: context.groupTime), to: sender, context)
        case .notAdmitted: break
        }
        planReminder(below: register, retained: retained, context)
        askForPresence(of: sender, retained: retained, context)
        if let superseder = register.supersededBy, !retained { askFor(superseder.session, context) }
        if requests.isEmpty { return }
        reply(requests.receive(register, currentOwner: makeView(context).register?.owner))
    }

    /// Plans to publish the own session again, because the author of an older one may not know it.
    private mutating func planReminder(below register: Register, retained: Bool, _ context: Context) {
        guard let own = ownership.register, register.stamp < own.stamp else { return }
        if register.status.isLive {
            planReminder(isForNewcomer: false, context)  // rule: reminder
        } else if !retained, register.supersededBy?.session != own.id {
            planReminder(isForNewcomer: true, context)  // rule: reminder
        }
    }

    private mutating func planReminder(isForNewcomer: Bool, _ context: Context) {
        // Before the barrier the own register is about to be published in any case.
        guard ownership.register != nil, link.isBarrierPassed, !startAwaitsTime else { return }
        echoes.planReminder(isForNewcomer: isForNewcomer, at: context.now.boot)
    }

    /// Asks all nodes to publish again if the register shown proves that the broker has not delivered something. That
    /// is so if the session was superseded by one that is not here, or the presence of its owner is not here. The
    /// members of a cluster may keep retained messages separately.
    mutating func askWhatIsMissing(_ context: Context) {
        // rule: newcomer, else: return
        var current = replicas.current?.register
        if let own = ownership.register, isLatest(own), isCandidate(own, context) { current = own }
        guard let current else { return }
        let owner = current.owner
        let isKnown = isSelf(owner) || peers.withPresence.contains(owner)
        if current.status == .superseded || current.status.isLive && !isKnown { sayHello(context) }
    }

    /// Asks all nodes to publish again if another program knows a session that is not here. It does so only while no
    /// session is live here, and once for each session, since its owner may be gone.
    mutating func askFor(_ session: SessionID, _ context: Context) {
        guard link.isBarrierPassed, !(makeView(context).register?.status.isLive ?? false),
            ownership.register?.id != session,
            !replicas.registers.contains(where: { $0.id == session })
        else { return }
        planAsk(for: Link.Mention(session: session), context)
    }

    /// Asks all nodes to publish again if an owner's answer states a revision that has not arrived before it.
    private mutating func askForRevision(of answer: Answer, from owner: NodeID, _ context: Context) {
        guard link.isBarrierPassed, let held = replicas[owner]?.register else { return askFor(answer.session, context) }
        guard held.id == answer.session else { return askFor(answer.session, context) }
        guard held.version.rev < answer.rev else { return }
        planAsk(for: Link.Mention(session: answer.session, rev: answer.rev), context)
    }

    private mutating func planAsk(for mention: Link.Mention, _ context: Context) {
        link.planAsk(for: mention, at: context.now.boot + Echoes.helloDelay(of: node))  // rule: mention
    }

    /// Asks all nodes to publish again if a register shows that the broker has not delivered something. A node that
    /// publishes one now is online, so the broker has not delivered its presence.
    private mutating func askForPresence(of sender: NodeID, retained: Bool, _ context: Context) {
        if retained || peers[sender].isOnline { return askWhatIsMissing(context) }
        sayHello(context)  // rule: newcomer
    }

    /// Says hello, at most once in five seconds.
    mutating func sayHello(_ context: Context) {
        if link.isBarrierPassed, link.maySayHello(at: context.now.boot) { sayHelloNow(context) }
    }

    /// Asks all nodes to publish again. This node publishes its messages again, too, since others may lack them.
    mutating func sayHelloNow(_ context: Context) {
        link.planHello(at: context.now.boot)
        link.planPresence()
        ownership.publishAgain()
        notices.publishAgain()
    }

    /// Ends the vote of a node whose presence was deleted. It is no member any more, or publishes again at once.
    mutating func forgetPresence(of sender: NodeID, _ context: inout Context) {
        // rule: erasedVote, else: return
        peers.erasePresence(of: sender, at: context.now.boot)
        clockSync.remove(sender)
        selectTimeSource(&context)
    }

    /// Objects to a node's register, at a bounded rate.
    private mutating func object(_ ack: Ack, to author: NodeID, _ context: Context) {
        // The broker lets displays and remotes publish no acks.
        guard link.isUp, identity.publishesPresence, identity.role != .display,
            admission.charge(.objection, to: author, context) == .accepted  // rule: objectionRate
        else { return }
        emit(.publish(.ack(ack)))
    }

    // MARK: Intents and answers

    /// Answers a peer, if the intent is for a session that this node answers for. Before the first barrier of this
    /// process it does not, since a later register that the broker has kept would undo the effect.
    private mutating func answer(_ intent: Intent, _ context: Context) {
        guard let own = ownership.register, isForOwnSession(intent), echoes.hasPassedBarrier else {
            return askFor(intent.session, context)
        }
        let verdict = admission.charge(.intent, to: intent.from, context)  // rule: intentRate, else: .accepted
        if verdict == .accepted { return decide(intent, context) { .publish(.ack(.answer($0))) } }
        discard(.tooOften, from: intent.from)
        guard verdict == .busy, let answer = answers.refuseAsBusy(intent, of: own) else { return }
        hold(.publish(.ack(.answer(answer))))
    }

    private mutating func receive(_ ack: Ack, from sender: NodeID, _ context: Context) {
        switch ack {
        case .answer(let answer):
            let winner = answer.by.flatMap { register(of: $0.node) }
            let head = makeView(context).register
            reply(requests.receive(answer, head: head, winner: winner, context))
        case .fork(_, let claim):
            // An observer holds two registers of one version of this node, or a later one that this node has lost.
            guard let own = ownership.register, claim >= own.version else { return }
            echoes.contest(Admission.step(from: own.version, towards: claim))
            repair(context)
        case .clock:
            clockSync.compareAgain(at: context.now.boot)
            // Only the clocks of nodes that are known to be online correct a stamp.
            if !peers[sender].isOnline { sayHello(context) }  // rule: newcomer
        }
    }

    mutating func reply(_ settled: [Requests.Settled]) {
        for (ticket, answer) in settled { emit(.reply(ticket, .answered(answer))) }
    }

    // MARK: Clocks

    /// Answers a ping with readings of this node's clocks. Displays and remotes do not answer.
    private mutating func answer(_ ping: Ping, of asker: NodeID, _ context: inout Context) {
        guard link.isUp, identity.publishesPresence, identity.role != .display else { return }
        let pong = Pong(
            connection: ping.connection, sent: ping.sent, bootID: identity.bootID, boot: context.now.boot,
            wall: min(max(context.now.wall, Limits.wall.lowerBound), Limits.wall.upperBound), at: context.groupTime,
            clock: context.clockQuality)
        emit(.publish(.pong(pong, to: asker)))
        // A register that was published just now is still on its way, and is not published again.
        if let held = ping.held, let own = ownership.register, held < own.version, link.isBarrierPassed,
            echoes.isEstablished(at: context.now.boot)
        {
            repair(context)
        }
        if peers.hasVote(asker) { return receive(claim: ping.at, of: asker, &context) }
        // Its presence was deleted, so it has no vote. But it is a member, since it sends something.
        if peers[asker].presence == nil { sayHello(context) }  // rule: newcomer
    }

    private mutating func receive(_ pong: Pong, from peer: NodeID, _ context: inout Context) {
        // rule: exchange, else: return
        guard peers.hasVote(peer), let estimate = clockSync.receive(pong, from: peer, at: context.now.boot) else {
            return
        }
        replicas.measure(estimate.offset, of: peer, in: estimate.bootID)  // rule: bootClock
        selectTimeSource(&context)
        receive(claim: context.now.boot + estimate.groupLead, of: peer, &context)
    }

    private mutating func receive(claim: GroupTime, of sender: NodeID, _ context: inout Context) {
        let isNews = clockSync.receive(claim: claim, of: sender, context)
        // The broker may have withheld the presence of a node that vouches: the sender, or the one that it follows.
        let mayBeWithheld = !peers[sender].isOnline || !groupClock.source.isVouched && peers.vouching.isEmpty
        if mayBeWithheld, isNews || !link.hasSaidHello && clockSync.isContradicting(sender, context) {
            sayHello(context)  // rule: newcomer
        }
        // Without a plausible clock the latest time is followed.
        if groupClock.source == .mark { selectTimeSource(&context) }
    }
}
