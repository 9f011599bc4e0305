// SPDX-License-Identifier: Apache-2.0

/// The owner's memory of its latest answers, so that an intent that comes again, from whomever, gets the same one.
///
/// A peer fills its own share of ``Memory/kept`` answers only: one that sends many intents makes the owner forget nothing of
/// another peer's.
struct Answers: Hashable, Sendable {
    static let pastSessions = 16
    var refusals = Memory()
    /// What took effect in the own session.
    var effects = Memory()

    struct Memory: Hashable, Sendable {
        static let kept = 64

        private struct Kept: Hashable, Sendable {
            var answer: Answer
            /// Who asked first.
            var asker: NodeID
        }

        private var answers: [IntentID: Kept] = [:]
        /// By who asked first, oldest first.
        private var order: [NodeID: [IntentID]] = [:]

        subscript(intent: IntentID) -> Answer? { answers[intent]?.answer }

        mutating func keep(_ answer: Answer, for asker: NodeID) {
            let known = answers.updateValue(Kept(answer: answer, asker: asker), forKey: answer.intent)
            if let known {
                answers[answer.intent]?.asker = known.asker
            } else {
                order[asker, default: []].append(answer.intent)
            }
            guard let intents = order[asker], intents.count > Self.kept else { return }
            answers[intents[0]] = nil
            order[asker]?.removeFirst()
        }

        mutating func forget(_ asker: NodeID) {
            for intent in order.removeValue(forKey: asker) ?? [] { answers[intent] = nil }
        }

        /// Who asked first, if that is known still.
        func asker(of intent: IntentID) -> NodeID? { answers[intent]?.asker }
    }

    /// Forgets the answers to a peer that is gone.
    mutating func forget(_ asker: NodeID) {
        refusals.forget(asker)
        effects.forget(asker)
    }

    /// The answer that an intent gets again. What took effect counts for `session` alone.
    func answer(to intent: IntentID, session: SessionID) -> Answer? {
        refusals[intent] ?? effects[intent].flatMap { $0.session == session ? $0 : nil }
    }

    /// The ids of `applied` without the oldest of the peer that has the most in it.
    ///
    /// A peer that sends many intents does not make the register forget those of others, whoever forwards them.
    func trimmed(_ applied: [IntentID]) -> [IntentID] {
        let askers = applied.map(effects.asker)
        let counts = askers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let most = counts.values.max()
        var trimmed = applied
        if let oldest = askers.firstIndex(where: { counts[$0] == most }) { trimmed.remove(at: oldest) }
        return trimmed
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
        let kept = answers.answer(to: intent.id, session: own.id)
        if kept == nil { answers.refusals.keep(busy, for: intent.from) }
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
        } else if keeps(.refusalMemory), let kept = answers.answer(to: intent.id, session: own.id) {
            hold(deliver(kept))
        } else if own.id != intent.session, keeps(.sessionFence) {
            let by = own.supersededBy ?? Superseder(session: own.id, node: node, at: own.startedAt)
            refuse(answer(.refused(.superseded), by: by), to: intent.from, deliver: deliver)
        } else if own.status.isLive, intent.expiresAt <= groupTime(now), keeps(.expiry) {
            refuse(answer(.refused(.expired)), to: intent.from, deliver: deliver)
        } else if let reason = own.phaseRefusal(of: intent), keeps(.phaseFence) {
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
        if changed.applied.count == Limits.applied {
            changed.applied = answers.trimmed(changed.applied)
        }
        changed.record(applied: intent.id)
        let last = LastIntent(
            intent: intent.id, op: intent.operation.name, from: intent.from, at: groupTime(now))
        replaceOwn(with: consume changed, above: own.version, by: last, then: deliver(answer))
        branch.carry(intent)
        guard keeps(.appliedIDs), intent.from != node else { return }
        // The register keeps the ids of all askers together, and the oldest fall out of it.
        answer.outcome = .duplicate
        answers.effects.keep(answer, for: intent.from)
    }

    private mutating func refuse(_ answer: Answer, to asker: NodeID, deliver: (Answer) -> Effect) {
        // An intent refused for a session that was taken over may come again, for the one that goes on.
        if answer.outcome != .refused(.superseded) { answers.refusals.keep(answer, for: asker) }
        hold(deliver(answer))
    }
}

extension Register {
    /// The reason to refuse an intent that was meant for another phase of this session.
    ///
    /// A person who presses "Start break" while the phase changes must not end the break that has just begun.
    func phaseRefusal(of intent: Intent) -> Refusal? {
        guard status.isLive, intent.operation.isFencedByPhase, intent.phase != phase else { return nil }
        return intent.phase == nil ? .invalid : .stalePhase
    }
}
