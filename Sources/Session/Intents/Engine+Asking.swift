// SPDX-License-Identifier: Apache-2.0

/// A person's press, until it is answered.
extension Engine {
    mutating func take(_ press: Press, id: IntentID, ticket: Ticket, at now: Instant) {
        if isViewDirty { refreshView(at: now) }
        guard let moment = view.lastMoment(at: now.boot) else { return emit(.reply(ticket, .noSession)) }
        let current = moment.register
        guard current.status.isLive || press.session != nil else { return emit(.reply(ticket, .noSession)) }
        // Who looks at a session that was taken over meanwhile means the one that goes on.
        let session = press.session.map { isContinued($0, by: current) ? current.id : $0 } ?? current.id
        let at = groupTime(now)
        let intent = Intent(
            id: id, lineage: current.lineage, session: session, phase: press.phase ?? current.phase,
            operation: press.operation, from: node, at: at, expiresAt: at + Limits.intentLife)
        if decide(intent, at: now, deliver: { .reply(ticket, .answered($0)) }) { return }
        guard session == current.id else {
            let isKnown = registers.all.contains { $0.register.id == session }
            let answer = refusal(of: intent, because: current)
            return emit(.reply(ticket, isKnown ? .answered(answer) : .noSession))
        }
        requests.add(Requests.Request(intent, of: current.owner, ticket: ticket, at: now.boot))
        sendRequests(at: now)
    }

    /// Sends what is due, gives up on what was not answered in time, and takes over where the owner is gone.
    mutating func sendRequests(at now: Instant) {
        if isViewDirty { refreshView(at: now) }
        var open: [Requests.Request] = []
        var orphans: [Requests.Request] = []
        var overdue: [Requests.Request] = []
        for var request in requests.open {
            if request.giveUpAt <= now.boot {
                overdue.append(request)
            } else if isOrphaned(&request, at: now) {
                orphans.append(request)
            } else {
                if link.isReady, request.sendAt <= now.boot { send(&request, at: now) }
                open.append(request)
            }
        }
        requests.replace(with: open)
        for orphan in orphans { takeOver(for: orphan, at: now) }
        for request in overdue { giveUp(request, at: now) }
    }

    /// Nobody has answered in time, or somebody has refused. If the session was continued meanwhile, its head is asked.
    private mutating func giveUp(_ request: Requests.Request, at now: Instant) {
        guard let ticket = request.ticket else { return }
        if isViewDirty { refreshView(at: now) }
        if let head = view.register, head.status.isLive, head.lineage == request.intent.lineage,
            head.id != request.intent.session, request.refusal != nil, keeps(.retarget)
        {
            var aimed = request
            aimed.refusal = nil
            aimed.aim(at: head, boot: now.boot)
            requests.add(aimed)
            return sendRequests(at: now)
        }
        emit(.reply(ticket, request.refusal.map { .answered($0) } ?? .noAnswer(request.intent.session)))
    }

    /// Sends an intent, again together with a ping, so that an owner that has nothing to answer shows a sign of life.
    private mutating func send(_ request: inout Requests.Request, at now: Instant) {
        if !request.isSent {
            if isTimeAwaited(at: now), now.boot < request.suspectAt - Requests.silence + Exchange.patience {
                request.sendAt = now.boot + Exchange.quick
                return
            }
            let at = groupTime(now)
            request.intent.expiresAt += at - request.intent.at
            request.intent.at = at
            request.leave(at: now.boot)
        } else if canTakeOver, let owner = view.register?.owner, owner != node {
            ping(owner, at: now)
        }
        emit(.publish(.intent(request.intent)))
        request.sendAt = now.boot + Requests.again
    }

    /// Whether nobody else will answer: the owner is known to be gone or has been silent too long, or the session is
    /// this node's own by now.
    @inline(__always) private func isOrphaned(_ request: inout Requests.Request, at now: Instant) -> Bool {
        let isRefused = request.refusal != nil && view.register?.owner != node
        guard canTakeOver, request.ticket != nil, !isRefused, keeps(.takeover), let current = view.register else {
            request.suspectAt = max(request.suspectAt, request.giveUpAt)
            return false
        }
        let isSameLineage = current.lineage == request.intent.lineage
        if isSameLineage, current.owner == node { return true }
        let owner = peers[current.owner]
        if isSameLineage, link.isReady, owner.presence != nil, !owner.isOnline { return true }
        guard request.suspectAt <= now.boot else { return false }
        let heard = isSameLineage ? owner.lastHeard ?? .min : .min
        let silentAt = heard.addingReportingOverflow(Requests.silence).partialValue
        request.suspectAt = max(request.suspectAt, min(silentAt, request.muteAt))
        return request.suspectAt <= now.boot
    }

    /// The program that asked is gone; what it asked for may still take effect.
    mutating func hangUp(_ ticket: Ticket) {
        requests.forget(ticket)
        disk.held.removeAll { held in
            if case .reply(ticket, _) = held.effect { true } else { false }
        }
    }

    mutating func receiveAck(_ ack: Ack, at now: Instant) {
        switch ack {
        case .answer(let answer): settleRequest(with: answer, at: now)
        case .fork(_, let version): receiveFork(version, at: now)
        case .clock:
            exchange.compareAgain(at: now.boot)
            stampAgain(at: now)
        }
    }

    private mutating func settleRequest(with answer: Answer, at now: Instant) {
        guard var request = requests.take(answer.intent) else { return }
        if case .refused(.superseded) = answer.outcome, let by = answer.by, keeps(.retarget) {
            if isViewDirty { refreshView(at: now) }
            if isBehind(by, request.intent.session) { return requests.add(request) }
            if let head = view.register, head.lineage == request.intent.lineage, head.id != request.intent.session {
                request.aim(at: head, boot: now.boot)
                requests.add(request)
                return sendRequests(at: now)
            }
            if by.node != node, registers[by.node]?.register.id != by.session {
                // Whether the winner continues the session is seen when its register arrives.
                request.refusal = answer
                request.sendAt = now.boot + Requests.again
                requests.add(request)
                return requests.refuse(request.intent.session, because: answer)
            }
        }
        if let ticket = request.ticket { emit(.reply(ticket, .answered(answer))) }
    }

    /// Whether a refusal speaks of a session before this one: it is about what the request asked before it followed its
    /// session, and what it asks now is still to be answered.
    private func isBehind(_ winner: Superseder, _ asked: SessionID) -> Bool {
        if winner.session == asked { return true }
        guard let head = view.register, head.id == asked, let known = register(of: winner.node) else { return false }
        return known.id == winner.session && known.stamp < head.stamp
    }

    /// A register that lists an intent has applied it, whether or not its answer arrives; one that continues the session
    /// is to be asked instead.
    mutating func settleRequests(with register: Register, at now: Instant) {
        guard !requests.open.isEmpty else { return }
        let head = registers.currentOwner
        for request in requests.open
        where Admission.shows(register, effectOf: request, head: head, rules: configuration.rules) {
            _ = requests.take(request.intent.id)
            let answer = Answer(
                intent: request.intent.id, outcome: .applied, session: register.id, rev: register.rev)
            if let ticket = request.ticket { emit(.reply(ticket, .answered(answer))) }
        }
        guard keeps(.retarget), registers.currentOwner == register.owner else { return }
        if isViewDirty { refreshView(at: now) }
        guard !view.isOwner else { return sendRequests(at: now) }
        var hasAimed = false
        for request in requests.open where request.intent.session != register.id {
            if request.intent.lineage == register.lineage {
                guard var aimed = requests.take(request.intent.id) else { continue }
                aimed.aim(at: register, boot: now.boot)
                requests.add(aimed)
                hasAimed = true
            } else if let refusal = request.refusal, refusal.by?.session == register.id {
                _ = requests.take(request.intent.id)
                if let ticket = request.ticket { emit(.reply(ticket, .answered(refusal))) }
            }
        }
        if hasAimed { sendRequests(at: now) }
    }

    /// Refuses an intent in the place of an owner that has lost its session to `current`.
    func refusal(of intent: Intent, because current: Register) -> Answer {
        Answer(
            intent: intent.id, outcome: .refused(.superseded), session: current.id, rev: current.rev,
            by: Superseder(session: current.id, node: current.owner, at: current.startedAt))
    }
}
