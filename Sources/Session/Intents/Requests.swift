// SPDX-License-Identifier: Apache-2.0

/// The asking side of intents: what this node has asked of other owners and not yet heard back.
struct Requests: Hashable, Sendable {
    /// How long a person waits for an owner's answer, in milliseconds.
    static let patience: Int64 = 5_000
    /// After how many milliseconds an unanswered intent is sent again, with the same id.
    static let again: Int64 = 1_000

    private(set) var open: [Request] = []

    struct Request: Hashable, Sendable {
        var intent: Intent
        var ticket: Ticket
        /// When to send it next, on the boot clock.
        var sendAt: Int64
        /// When to give up.
        var giveUpAt: Int64
    }

    /// When something is due, on the boot clock. Nothing is sent before the answers are subscribed to.
    func nextWake(isReady: Bool) -> Int64? {
        open.lazy.map { isReady ? min($0.sendAt, $0.giveUpAt) : $0.giveUpAt }.min()
    }

    mutating func add(_ request: Request) { open.append(request) }

    mutating func forget(_ ticket: Ticket) { open.removeAll { $0.ticket == ticket } }

    mutating func take(_ intent: IntentID) -> Request? {
        guard let index = open.firstIndex(where: { $0.intent.id == intent }) else { return nil }
        return open.remove(at: index)
    }

    mutating func replace(with open: [Request]) { self.open = open }
}

extension Engine {
    mutating func take(_ press: Press, id: IntentID, ticket: Ticket, at now: Instant) {
        if isViewDirty { refreshView() }
        guard let moment = view.lastMoment(at: now.boot) else { return emit(.reply(ticket, .noSession)) }
        let current = moment.register
        let session = press.session ?? current.id
        guard current.status.isLive || press.session != nil else { return emit(.reply(ticket, .noSession)) }
        let at = groupTime(now)
        let intent = Intent(
            id: id, lineage: current.lineage, session: session, phase: press.phase ?? current.phase,
            operation: press.operation, from: node, at: at, expiresAt: at + Limits.intentLife)
        if decide(intent, at: now, deliver: { .reply(ticket, .answered($0)) }) { return }
        guard session == current.id else {
            let known = registers.all.contains { $0.register.id == session }
            let by = Superseder(session: current.id, node: current.owner, at: current.startedAt)
            let answer = Answer(
                intent: id, outcome: .refused(.superseded), session: current.id, rev: current.rev, by: by)
            return emit(.reply(ticket, known ? .answered(answer) : .noSession))
        }
        requests.add(
            Requests.Request(intent: intent, ticket: ticket, sendAt: now.boot, giveUpAt: now.boot + Requests.patience))
        sendRequests(at: now)
    }

    /// Sends what is due, and gives up on what was not answered in time.
    mutating func sendRequests(at now: Instant) {
        var open: [Requests.Request] = []
        for var request in requests.open {
            if request.giveUpAt <= now.boot {
                emit(.reply(request.ticket, .noAnswer(request.intent.session)))
                continue
            }
            if link.isReady, request.sendAt <= now.boot {
                emit(.publish(.intent(request.intent)))
                request.sendAt = now.boot + Requests.again
            }
            open.append(request)
        }
        requests.replace(with: open)
    }

    /// The program that asked is gone; what it asked for may still take effect.
    mutating func hangUp(_ ticket: Ticket) {
        requests.forget(ticket)
        disk.held.removeAll { held in
            if case .reply(ticket, _) = held.effect { true } else { false }
        }
    }

    mutating func receiveAck(_ ack: Ack, from sender: NodeID, at now: Instant) {
        switch ack {
        case .answer(let answer):
            guard !isSelf(sender), let request = requests.take(answer.intent) else { return }
            emit(.reply(request.ticket, .answered(answer)))
        case .fork(let subject, let version):
            if subject == node, sender != node { receiveFork(version, at: now) }
        case .clock:
            break
        }
    }

    /// A register that lists an intent has applied it, whether or not its answer arrives.
    mutating func settleRequests(with register: Register) {
        guard !requests.open.isEmpty else { return }
        for id in register.applied {
            guard let request = requests.take(id) else { continue }
            let answer = Answer(intent: id, outcome: .applied, session: register.id, rev: register.rev)
            emit(.reply(request.ticket, .answered(answer)))
        }
    }
}
