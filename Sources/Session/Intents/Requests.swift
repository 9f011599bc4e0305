// SPDX-License-Identifier: Apache-2.0

/// The intents of this node for other owners, sent or not, that are not answered yet.
struct Requests: Hashable, Sendable {
    /// How long a person waits for an owner's answer. It is one second more than ``unresponsiveLimit``, so that a
    /// takeover comes first. The documents state it.
    static let giveUpAfter: Milliseconds = .seconds(5)
    /// How long a person waits at most, however often the session is continued or another one is shown. Twice
    /// ``giveUpAfter``: once until the owner can be asked, and once for its answer. The protocol states it.
    static let longestWait: Milliseconds = 2 * giveUpAfter
    /// The time until an unanswered intent is sent again with the same id. It is long enough for a broker on a slow
    /// network, and short enough for two tries before ``silenceLimit``.
    static let resendInterval: Milliseconds = .seconds(1)
    /// The time without any message from the owner until its session is taken over. It is twice ``resendInterval``,
    /// since one lost answer is no reason to take over. The protocol states it. Nodes with other values would still
    /// agree, because a takeover by mistake does no harm.
    static let silenceLimit: Milliseconds = .seconds(2)
    /// The time until an owner that sends other messages but no answer loses its session. Longer than ``silenceLimit``,
    /// since the owner is alive and its disk may be slow. The protocol states it.
    static let unresponsiveLimit: Milliseconds = .seconds(4)
    /// Owners that a request remembers, so that a late answer of one is not counted as a lie. Within ``longestWait`` a
    /// session seldom has more than two. With fewer, honest late answers count as lies; with more, more former owners
    /// could settle the press by a register.
    private static let ownersLimit = 8

    private var open: [Request] = []

    /// An intent of this node that awaits its answer.
    struct Request: Hashable, Sendable {
        private(set) var intent: Intent
        /// The owners that were asked, the present one last.
        private(set) var owners: [NodeID]
        /// The request of a person who waits for the answer; `nil` for an intent that is only forwarded.
        private(set) var ticket: Ticket?
        fileprivate var sendWait: Wait
        /// The beginning of the time that the present owner has for its answer. It begins when the intent is made,
        /// again when it is first sent, and again when it is sent to another owner.
        fileprivate private(set) var limitsFrom: BootTime
        /// When the present owner's silence began, as the last check found.
        private var silentSince: BootTime
        /// Whether that silence can end in a takeover. Once a check finds that it cannot, only new limits change that.
        private var isSilenceCounted = true
        private let madeAt: BootTime
        /// The wait for an answer. A person's begins again with the owner's limits, within ``Requests/longestWait``.
        fileprivate private(set) var answerWait: Wait
        /// The lead by which it was dated; `nil` before it was sent.
        private var lead: Lead?
        fileprivate var isSent: Bool { lead != nil }
        /// The refusal that the person gets when the request ends without another answer.
        fileprivate(set) var refusal: Answer?

        init(
            _ intent: Intent, of owner: NodeID, ticket: Ticket?, at boot: BootTime,
            giveUpAfter: Milliseconds = Requests.giveUpAfter
        ) {
            self.intent = intent
            owners = [owner]
            self.ticket = ticket
            sendWait = Wait(from: boot, for: 0)
            (madeAt, limitsFrom, silentSince) = (boot, boot, boot)
            answerWait = Wait(from: boot, for: giveUpAfter)
        }

        /// When to check next whether the owner still answers.
        fileprivate var ownerCheckAt: BootTime {
            guard isSilenceCounted else { return answerWait.end }
            return min(silentSince + Requests.silenceLimit, limitsFrom + Requests.unresponsiveLimit)
        }

        /// Whether an intent that took effect here expired before it was forwarded, since a clock was corrected.
        fileprivate func isExpired(_ context: Context) -> Bool {
            // rule: forwardExpiry, else: return false
            return ticket == nil && !isSent && intent.expiresAt <= context.groupTime
        }

        private mutating func restartLimits(at boot: BootTime) {
            (limitsFrom, silentSince, isSilenceCounted) = (boot, boot, true)
            if ticket != nil { answerWait.began = min(boot, madeAt + Requests.longestWait - answerWait.length) }
        }

        /// Dates the intent by the owner's time when it is first sent. It moves if the next owner has another time.
        fileprivate mutating func date(by time: GroupTime, at boot: BootTime) {
            if let lead, !GroupClock.contradict(boot + lead, time) { return }
            let shift = lead.map { time - (boot + $0) } ?? time - intent.at
            intent.at += shift
            intent.expiresAt += shift
            if lead == nil { restartLimits(at: boot) }
            lead = Lead(of: time, over: boot)
        }

        /// Asks another session of the lineage from now on. A refusal of the former one decides nothing any more.
        fileprivate mutating func aim(at head: Register, boot: BootTime) {
            intent.session = head.id
            refusal = nil
            owners.removeAll { $0 == head.owner }
            owners.append(head.owner, limit: Requests.ownersLimit)
            sendWait = Wait(from: boot, for: 0)
            restartLimits(at: boot)
        }

        /// Returns the request, sent to the session that continues the one that refused it.
        func aimed(at head: Register, boot: BootTime) -> Request {
            var aimed = self
            aimed.aim(at: head, boot: boot)
            return aimed
        }
    }

    /// The state of the session that is shown, and of its owner, that requests depend on.
    struct Situation {
        var head: Register?
        var owner: Peer
        /// Whether answers are subscribed to.
        var isBarrierPassed: Bool
        var canTakeOver: Bool
        /// Whether messages with a group time wait for the first comparison of clocks.
        var messagesAwaitTime: Bool
        /// The group time of the owner, by which an intent is dated.
        var ownersTime: GroupTime
    }

    /// A step that the engine takes for a request.
    enum Step {
        /// Send the intent; a repeated one with a ping to the owner, whose pong shows that it is alive.
        case send(Intent, pinging: NodeID?)
        /// Apply the intent here, since no other node will answer.
        case takeOver(Request)
        case giveUp(Request)
    }

    /// Removes the requests that end now, and returns the due steps in their order.
    mutating func advance(_ situation: Situation, _ context: Context) -> [Step] {
        var (sent, orphaned, overdue): ([Step], [Step], [Step]) = ([], [], [])
        var kept: [Request] = []
        for var request in open {
            if request.answerWait.end <= context.now.boot || request.isExpired(context) {
                overdue.append(.giveUp(request))
            } else if request.noteSilence(situation, context) {
                orphaned.append(.takeOver(request))
            } else {
                let isDue = situation.isBarrierPassed && request.sendWait.end <= context.now.boot
                if isDue, let step = request.send(situation, context) { sent.append(step) }
                kept.append(request)
            }
        }
        open = kept
        return sent + orphaned + overdue
    }

    /// When a step is due. Nothing is sent before answers are subscribed to.
    func nextWake(isBarrierPassed: Bool, canTakeOver: Bool) -> BootTime? {
        open.lazy.map { request in
            var due = request.answerWait.end
            if isBarrierPassed { due = min(due, request.sendWait.end) }
            if canTakeOver, request.ticket != nil { due = min(due, request.ownerCheckAt) }
            return due
        }.min()
    }

    var isEmpty: Bool { open.isEmpty }

    subscript(intent: IntentID) -> Request? { open.first { $0.intent.id == intent } }
    mutating func add(_ request: Request) { open.append(request) }

    /// Adds an intent that took effect here, for the owner of the session that continues, unless it has expired.
    mutating func forward(_ intent: Intent, to head: Register, _ context: Context) {
        var intent = intent
        intent.session = head.id
        intent.from = context.node
        // Its expiry may come from a wrong clock.
        let left = intent.expiresAt - context.groupTime  // rule: forwardExpiry, else: Limits.intentLife
        let life = min(left, Limits.intentLife)
        guard life > 0 else { return }
        add(Request(intent, of: head.owner, ticket: nil, at: context.now.boot, giveUpAfter: life))
    }

    /// Forgets the request of a program that has ended.
    mutating func forget(_ ticket: Ticket) { open.removeAll { $0.ticket == ticket } }

    private mutating func remove(_ intent: IntentID) -> Request? {
        guard let index = open.firstIndex(where: { $0.intent.id == intent }) else { return nil }
        return open.remove(at: index)
    }

    /// The answer to a person's request.
    typealias Settled = (ticket: Ticket, answer: Answer)

    /// Receives an answer, and returns the requests that it settles. `winner` is the register of the node that has won,
    /// if the answer refuses the intent because another node has.
    mutating func receive(_ answer: Answer, head: Register?, winner: Register?, _ context: Context) -> [Settled] {
        guard var request = remove(answer.intent) else { return [] }
        switch request.meaning(of: answer, head: head, winner: winner, context) {
        case .final: return request.ticket.map { [($0, answer)] } ?? []
        case .outdated: break
        case .continued(let head): request.aim(at: head, boot: context.now.boot)
        case .undecided:
            request.refusal = answer
            request.sendWait = Wait(from: context.now.boot, for: Requests.resendInterval)
            refuse(request.intent.session, because: answer)
        }
        open.append(request)
        return []
    }

    /// Gives the same refusal to the other requests for a session.
    private mutating func refuse(_ session: SessionID, because answer: Answer) {
        for index in open.indices where open[index].intent.session == session && open[index].refusal == nil {
            var refusal = answer
            refusal.intent = open[index].intent.id
            open[index].refusal = refusal
        }
    }

    /// Removes the requests whose effect a register shows, and returns their answers, which may have been lost.
    mutating func receive(_ register: Register, currentOwner: NodeID?) -> [Settled] {
        var settled: [Settled] = []
        open.removeAll { request in
            guard Admission.shows(register, effectOf: request, head: currentOwner) else { return false }
            if let ticket = request.ticket {
                settled.append((ticket, request.intent.answer(.applied, of: register)))
            }
            return true
        }
        return settled
    }

    /// Aims requests at the session that continues theirs. Returns the refusals for sessions that `head` ended.
    mutating func follow(_ head: Register, _ context: Context) -> [Settled] {
        var settled: [Settled] = []
        // rule: retarget, else: return []
        for request in open where request.intent.session != head.id {
            if request.intent.lineage == head.lineage {
                guard var aimed = remove(request.intent.id) else { continue }
                aimed.aim(at: head, boot: context.now.boot)
                open.append(aimed)
            } else if let refusal = request.refusal, refusal.by?.session == head.id {
                _ = remove(request.intent.id)
                if let ticket = request.ticket { settled.append((ticket, refusal)) }
            }
        }
        return settled
    }
}

extension Requests.Request {
    /// Sends the intent, or postpones that until group time is known.
    fileprivate mutating func send(_ situation: Requests.Situation, _ context: Context) -> Requests.Step? {
        let boot = context.now.boot
        var pinged: NodeID?
        if situation.messagesAwaitTime, boot < limitsFrom + ClockSync.firstAnswerLimit {
            sendWait = Wait(from: boot, for: ClockSync.burstInterval)
            return nil
        }
        if isSent, situation.canTakeOver, situation.head?.owner != context.node { pinged = situation.head?.owner }
        date(by: situation.ownersTime, at: boot)
        sendWait = Wait(from: boot, for: Requests.resendInterval)
        return .send(intent, pinging: pinged)
    }

    /// Notes the owner's silence, which plans the next check. Returns whether no other node will answer: the owner is
    /// gone, was silent too long or is this node.
    fileprivate mutating func noteSilence(_ situation: Requests.Situation, _ context: Context) -> Bool {
        let isOwn = situation.head?.owner == context.node
        let isRefused = refusal != nil && !isOwn
        guard
            situation.canTakeOver,  // rule: takeover, else: false
            ticket != nil, !isRefused, let head = situation.head
        else {
            isSilenceCounted = false
            return false
        }
        let isSameLineage = head.lineage == intent.lineage
        if isSameLineage, isOwn { return true }
        if isSameLineage, situation.isBarrierPassed, situation.owner.presence != nil, !situation.owner.isOnline {
            return true
        }
        guard ownerCheckAt <= context.now.boot else { return false }
        if isSameLineage, let received = situation.owner.lastReceived { silentSince = max(silentSince, received) }
        return ownerCheckAt <= context.now.boot
    }

    /// The meaning of an answer for its request.
    fileprivate enum AnswerMeaning {
        /// The request ends with it.
        case final
        /// It is about a session that the request asked before, and changes nothing.
        case outdated
        /// This register continues the session that was asked, so its owner is asked next.
        case continued(Register)
        /// Another session has won. Whether it continues the one that was asked is known when its register arrives.
        case undecided
    }

    fileprivate func meaning(of answer: Answer, head: Register?, winner: Register?, _ context: Context) -> AnswerMeaning
    {
        // rule: retarget, else: return .final
        guard case .refused(.superseded) = answer.outcome, let by = answer.by else { return .final }
        if by.session == intent.session || isBehind(by, head: head, winner: winner) { return .outdated }
        if let head, head.lineage == intent.lineage, head.id != intent.session { return .continued(head) }
        return by.node != context.node && winner?.id != by.session ? .undecided : .final
    }

    /// Whether a refusal answers an earlier sending of the request, to the owner before. Example: `desk` is asked,
    /// `kitchen-pi` takes the session over and is asked next. Then the refusal of `desk` arrives.
    fileprivate func isBehind(_ by: Superseder, head: Register?, winner: Register?) -> Bool {
        guard let head, head.id == intent.session, let winner else { return false }
        return winner.id == by.session && winner.stamp < head.stamp
    }
}
