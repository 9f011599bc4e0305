// SPDX-License-Identifier: Apache-2.0

/// The owner's memory of its latest answers, so that an intent that comes again gets the same one.
///
/// Each asker has a memory of its own, of ``kept`` answers: a peer that sends many intents makes the owner forget nothing
/// of another peer's.
struct Answers: Hashable, Sendable {
    static let pastSessions = 16
    static let kept = 64
    private var recent: [NodeID: [Answer]] = [:]

    /// The answer that `asker` gets again. What took effect counts for `session` alone, since another one may not hold it.
    func answer(to intent: IntentID, of asker: NodeID, session: SessionID) -> Answer? {
        recent[asker]?.last { $0.intent == intent && ($0.outcome != .duplicate || $0.session == session) }
    }

    mutating func keep(_ answer: Answer, for asker: NodeID) {
        recent[asker, default: []].append(answer)
        if let count = recent[asker]?.count, count > Self.kept { recent[asker]?.removeFirst() }
    }

    /// What took effect in `session` may have been undone: the journal had lost a later register.
    mutating func forgetEffects(in session: SessionID) {
        for asker in recent.keys { recent[asker]?.removeAll { $0.outcome == .duplicate && $0.session == session } }
    }
}

/// The owner's side of an intent.
extension Engine {
    /// Answers a peer. An intent for a session that was never this node's is for somebody else.
    mutating func answer(_ intent: Intent, at now: Instant) {
        guard let own = journal.own, isAsked(by: intent) else { return }
        let verdict = keeps(.intentRate) ? admission.charge(intentOf: intent.from, at: now.boot) : .accepted
        if verdict == .accepted {
            decide(intent, at: now) { .publish(.ack(.answer($0))) }
            return
        }
        discard(.tooOften, from: intent.from)
        guard verdict == .busy, !own.applied.contains(intent.id) else { return }
        let busy = Answer(intent: intent.id, outcome: .refused(.busy), session: own.id, rev: own.rev)
        let kept = answers.answer(to: intent.id, of: intent.from, session: own.id)
        if kept == nil { answers.keep(busy, for: intent.from) }
        hold(.publish(.ack(.answer(kept ?? busy))))
    }

    /// Whether an intent is for a session that is or was this node's, or one that this node's continues.
    private func isAsked(by intent: Intent) -> Bool {
        guard let own = journal.own else { return false }
        let isHead = registers.current.map { $0.stamp < own.stamp } ?? true
        let isAncestor = isHead && own.continues != nil && own.lineage == intent.lineage && keeps(.retarget)
        return own.id == intent.session || journal.past.contains(intent.session) || isAncestor
    }

    /// Decides an intent. `deliver` makes the effect that carries the answer, which waits until the register that it
    /// speaks of is on disk.
    /// - Returns: Whether the session is or was this node's.
    @discardableResult
    mutating func decide(_ intent: Intent, at now: Instant, deliver: (Answer) -> Effect) -> Bool {
        guard let own = journal.own, isAsked(by: intent) else { return false }
        func answer(_ outcome: Outcome, by: Superseder? = nil) -> Answer {
            Answer(intent: intent.id, outcome: outcome, session: own.id, rev: own.rev, by: by)
        }
        if own.applied.contains(intent.id), keeps(.appliedIDs) {
            hold(deliver(answer(.duplicate)))
        } else if keeps(.refusalMemory), let kept = answers.answer(to: intent.id, of: intent.from, session: own.id) {
            hold(deliver(kept))
        } else if own.id != intent.session, keeps(.sessionFence) {
            let by = own.supersededBy ?? Superseder(session: own.id, node: node, at: own.startedAt)
            refuse(answer(.refused(.superseded), by: by), to: intent.from, deliver: deliver)
        } else if own.status.isLive, intent.expiresAt <= groupTime(now), keeps(.expiry) {
            refuse(answer(.refused(.expired)), to: intent.from, deliver: deliver)
        } else if own.status.isLive, intent.operation.isFencedByPhase, intent.phase != own.phase,
            keeps(.phaseFence)
        {
            let reason: Refusal = intent.phase == nil ? .invalid : .stalePhase
            refuse(answer(.refused(reason)), to: intent.from, deliver: deliver)
        } else {
            apply(intent, to: own, at: now, deliver: deliver)
        }
        return true
    }

    private mutating func apply(_ intent: Intent, to own: Register, at now: Instant, deliver: (Answer) -> Effect) {
        var changed = ownAtPresent(own, now: now)
        let outcome = changed.perform(intent.operation, defaults: configuration.defaults)
        var answer = Answer(intent: intent.id, outcome: outcome, session: own.id, rev: own.rev, by: own.supersededBy)
        guard outcome == .applied else { return refuse(answer, to: intent.from, deliver: deliver) }
        answer.rev = own.rev + 1
        answer.by = nil
        changed.record(applied: intent.id)
        let last = LastIntent(
            intent: intent.id, op: intent.operation.name, from: intent.from, at: groupTime(now))
        replaceOwn(with: consume changed, above: own.version, by: last, then: deliver(answer))
        branch.carry(intent)
        guard keeps(.appliedIDs), intent.from != node else { return }
        // The register keeps the ids of all askers together, and the oldest fall out of it.
        answer.outcome = .duplicate
        answers.keep(answer, for: intent.from)
    }

    private mutating func refuse(_ answer: Answer, to asker: NodeID, deliver: (Answer) -> Effect) {
        // An intent refused for a session that was taken over may come again, for the one that goes on.
        if answer.outcome != .refused(.superseded) { answers.keep(answer, for: asker) }
        hold(deliver(answer))
    }
}
