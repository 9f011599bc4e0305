// SPDX-License-Identifier: Apache-2.0

/// Decides intents, and remembers the answers for intents that are repeated. The memory keeps a number of answers for
/// each peer, so a peer that sends many intents does not displace the answers to others.
struct Answers: Hashable, Sendable {
    private var refusals = Memory(limit: 64)
    /// Effects in the own session, for each peer as many as it can have while their intents live. That is 100 in a
    /// row, and 20 a second for 30 seconds.
    private var effects = Memory(limit: 700)

    /// The owner's reply to an intent: an answer alone, or one with a change of the session.
    enum Decision {
        case answer(Answer)
        case apply(Answer, Register)
    }

    /// The latest answers, by the id of their intent, so that a repeated intent gets the same one.
    struct Memory: Hashable, Sendable {
        /// The most answers for one peer.
        let limit: Int

        private struct Entry: Hashable, Sendable {
            var answer: Answer
            /// The peer that asked first.
            var asker: NodeID
        }

        private var answers: [IntentID: Entry] = [:]
        /// The intents whose answers are kept, by the peer that asked first, oldest first.
        private var order: [NodeID: [IntentID]] = [:]

        init(limit: Int) { self.limit = limit }

        subscript(intent: IntentID) -> Answer? { answers[intent]?.answer }

        mutating func keep(_ answer: Answer, for asker: NodeID) {
            let known = answers.updateValue(Entry(answer: answer, asker: asker), forKey: answer.intent)
            if let known {
                answers[answer.intent]?.asker = known.asker
            } else {
                order[asker, default: []].append(answer.intent)
            }
            guard let intents = order[asker], intents.count > limit else { return }
            answers[intents[0]] = nil
            order[asker]?.removeFirst()
        }

        mutating func forget(_ asker: NodeID) {
            for intent in order.removeValue(forKey: asker) ?? [] { answers[intent] = nil }
        }

        /// The peer that asked first; `nil` if the intent is unknown.
        func asker(of intent: IntentID) -> NodeID? { answers[intent]?.asker }
    }

    mutating func forget(_ asker: NodeID) {
        refusals.forget(asker)
        effects.forget(asker)
    }

    /// Forgets the effects, because another session begins.
    mutating func forgetEffects() { effects = Memory(limit: effects.limit) }

    /// Decides an intent for a session that is or was this node's.
    mutating func decide(
        _ intent: Intent, of own: Register, defaults: SessionDefaults, _ context: Context
    ) -> Decision {
        if own.hasApplied(intent) { return .answer(intent.answer(.duplicate, of: own)) }  // rule: appliedIDs
        if let known = remembered(for: intent.id, session: own.id) { return .answer(known) }  // rule: refusalMemory
        if own.id != intent.session {  // rule: sessionFence
            // Not remembered, since the same intent may come again for the session that continues.
            return .answer(intent.refusal(supersededBy: own))
        }
        var changed = own.anchored(context)
        let trimmed = changed.applied.count == Limits.applied ? oldest(in: changed.applied) : nil
        changed.applied.removeAll { $0 == trimmed }
        let isExpired = own.status.isLive && intent.expiresAt <= context.groupTime  // rule: expiry, else: false
        let outcome = isExpired ? .refused(.expired) : changed.carryOut(intent, defaults: defaults)
        var decided = intent.answer(outcome, of: own)
        guard outcome == .applied else {
            decided.by = own.supersededBy
            if outcome != .refused(.superseded) { refusals.keep(decided, for: intent.from) }
            return .answer(decided)
        }
        decided.rev += 1  // rule: answerRevision
        if let trimmed, effects[trimmed]?.session != own.id {
            // The trimmed intent may come again, as from an old owner that forwards it. No own press uses this memory.
            effects.keep(
                Answer(intent: trimmed, outcome: .duplicate, session: own.id, rev: decided.rev), for: context.node)
        }
        if intent.from != context.node {  // rule: appliedIDs
            // The register keeps the ids of all askers in one list, which drops some of them (`oldest(in:)`).
            effects.keep(intent.answer(.duplicate, of: changed, rev: own.rev + 1), for: intent.from)
        }
        return .apply(decided, changed)
    }

    /// Returns the answer to an intent of a peer that is too fast: the earlier one, or ``Refusal/busy``. `nil` if the
    /// intent took effect.
    mutating func refuseAsBusy(_ intent: Intent, of own: Register) -> Answer? {
        if own.hasApplied(intent) { return nil }
        if let known = remembered(for: intent.id, session: own.id) { return known }
        let busy = intent.answer(.refused(.busy), of: own)
        refusals.keep(busy, for: intent.from)
        return busy
    }

    /// The earlier answer to an intent. An effect counts for `session` alone.
    private func remembered(for intent: IntentID, session: SessionID) -> Answer? {
        refusals[intent] ?? effects[intent].flatMap { $0.session == session ? $0 : nil }
    }

    /// The oldest id of the peer that has the most ids in a full `applied`. So a peer that sends many intents does not
    /// displace the ids of others, even if another peer forwards them.
    private func oldest(in applied: [IntentID]) -> IntentID? {
        // rule: fairTrim, else: return applied.first
        let askers = applied.map(effects.asker)
        let counts = askers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let most = counts.values.max()
        return zip(applied, askers).first { counts[$1] == most }?.0
    }
}

extension Register {
    /// Whether an intent took effect in this session or in one that it continues.
    func hasApplied(_ intent: Intent) -> Bool { applied.contains(intent.id) }
}

extension Intent {
    func answer(_ outcome: IntentOutcome, of register: Register, rev: Int? = nil) -> Answer {
        Answer(intent: id, outcome: outcome, session: register.id, rev: rev ?? register.rev)
    }

    /// The refusal of an intent for a session that lost to `current`, or to the session that superseded `current`.
    func refusal(supersededBy current: Register) -> Answer {
        var answer = answer(.refused(.superseded), of: current)
        answer.by =
            current.supersededBy ?? Superseder(session: current.id, node: current.owner, at: current.startedAt)
        return answer
    }
}
