// SPDX-License-Identifier: Apache-2.0

/// The owner's memory of what it answered without effect, so that an intent sent again gets the same answer.
struct Answers: Hashable, Sendable {
    static let pastSessions = 16
    private static let kept = 64
    private var recent: [Answer] = []

    func answer(to intent: IntentID) -> Answer? { recent.last { $0.intent == intent } }

    mutating func keep(_ answer: Answer) {
        recent.append(answer)
        if recent.count > Self.kept { recent.removeFirst() }
    }
}

/// The owner's side of an intent.
extension Engine {
    /// Answers a peer. An intent for a session that was never this node's is for somebody else.
    mutating func answer(_ intent: Intent, at now: Instant) {
        decide(intent, at: now) { .publish(.ack(.answer($0))) }
    }

    /// Decides an intent. `deliver` makes the effect that carries the answer, which waits until the register that it
    /// speaks of is on disk.
    /// - Returns: Whether the session is or was this node's.
    @discardableResult
    mutating func decide(_ intent: Intent, at now: Instant, deliver: (Answer) -> Effect) -> Bool {
        guard let own = journal.own else { return false }
        let isHead = registers.current.map { $0.stamp < own.stamp } ?? true
        let isAncestor = isHead && own.continues != nil && own.lineage == intent.lineage && keeps(.retarget)
        guard own.id == intent.session || journal.past.contains(intent.session) || isAncestor else { return false }
        func answer(_ outcome: Outcome, by: Superseder? = nil) -> Answer {
            Answer(intent: intent.id, outcome: outcome, session: own.id, rev: own.rev, by: by)
        }
        if own.applied.contains(intent.id), keeps(.appliedIDs) {
            hold(deliver(answer(.duplicate)))
        } else if keeps(.refusalMemory), let kept = answers.answer(to: intent.id) {
            hold(deliver(kept))
        } else if own.id != intent.session, keeps(.sessionFence) {
            let by = own.supersededBy ?? Superseder(session: own.id, node: node, at: own.startedAt)
            refuse(answer(.refused(.superseded), by: by), deliver: deliver)
        } else if own.status.isLive, intent.expiresAt <= groupTime(now), keeps(.expiry) {
            refuse(answer(.refused(.expired)), deliver: deliver)
        } else if own.status.isLive, intent.operation.isFencedByPhase, intent.phase != own.phase,
            keeps(.phaseFence)
        {
            let reason: Refusal = intent.phase == nil ? .invalid : .stalePhase
            refuse(answer(.refused(reason)), deliver: deliver)
        } else {
            apply(intent, to: own, at: now, deliver: deliver)
        }
        return true
    }

    private mutating func apply(_ intent: Intent, to own: Register, at now: Instant, deliver: (Answer) -> Effect) {
        var changed = ownAtPresent(own, now: now)
        let outcome = changed.perform(intent.operation, defaults: configuration.defaults)
        var answer = Answer(intent: intent.id, outcome: outcome, session: own.id, rev: own.rev, by: own.supersededBy)
        guard outcome == .applied else { return refuse(answer, deliver: deliver) }
        answer.rev = own.rev + 1
        answer.by = nil
        changed.record(applied: intent.id)
        let last = LastIntent(
            intent: intent.id, op: intent.operation.name, from: intent.from, at: groupTime(now))
        replaceOwn(with: consume changed, above: own.version, by: last, then: deliver(answer))
        branch.carry(intent)
    }

    private mutating func refuse(_ answer: Answer, deliver: (Answer) -> Effect) {
        // An intent refused for a session that was taken over may come again, for the one that goes on.
        if answer.outcome != .refused(.superseded) { answers.keep(answer) }
        hold(deliver(answer))
    }
}
