// SPDX-License-Identifier: Apache-2.0

/// Decides whether the message of a node is used, by comparing it with what this node knows.
///
/// The codec comes first. It discards messages that are malformed or out of bounds, are retained where that is not
/// allowed, or name another node than their topic. The broker's ACL lets a node publish only below its own topic. So
/// the sender is known here, but it can lie in everything that it publishes. `Trust.md` states the effects of lies.
///
/// Other checks are elsewhere, because their result changes after the message has come, or is an answer to it:
///
/// - the versions of a register: ``Replicas``, ``Echoes``;
/// - its stamp, again whenever group time jumps: ``Context/admits(_:)``;
/// - room for another node: ``Peers``;
/// - session and expiry of an intent: ``Answers``; its phase: ``Register/carryOut(_:defaults:)``;
/// - the votes about time: ``GroupClock``.
///
/// Ledger records, feeds and sound levels are not for the engine: `LedgerIntake` judges records.
struct Admission: Hashable, Sendable {
    /// The result of the check of one message.
    enum Verdict: Hashable, Sendable {
        case accepted
        /// Above the rate of its sender. An intent is answered ``Refusal/busy``, any other message is discarded.
        case busy
        /// Not used, and counted for its sender.
        case refused(Discard)
        /// Not meant for this node, or late. The sender is not at fault.
        case ignored
    }

    /// The knowledge of this node when the message arrives.
    struct Situation {
        var context: Context
        /// Whether messages of the sender are this node's own.
        var isSelf: Bool
        var connection: ConnectionID?
        var request: Requests.Request?
        /// The owner and the lineage of the session that is shown.
        var head: (owner: NodeID, lineage: SessionID)?
    }

    /// An effort that a peer causes, limited per second.
    enum Effort: Hashable, Sendable {
        /// An intent for a session of this node.
        case intent
        /// The answer to a ping.
        case ping
        /// The use of a pong. An honest peer stays below the limit: 8 in 280 ms, then 5 a second.
        case pong
        /// An objection to the peer's register.
        case objection
        /// A notice, which each display shows.
        case notice
    }

    private var allowances: [Effort: [NodeID: Allowance]] = [:]

    /// Checks one message. Rates are checked by ``charge(_:to:_:)``, where the effort arises.
    static func judge(_ message: Message, from sender: NodeID, in situation: Situation) -> Verdict {
        let node = situation.context.node
        switch message {
        case .presence, .notice: return .accepted
        case .register(let register):
            if register.owner != sender { return .refused(.wrongSender) }
            let isPlausible = isPlausible(register.version, groupTime: situation.context.groupTime)
            return isPlausible ? .accepted : .refused(.outOfBounds)  // rule: epochBound, else: .accepted
        case .intent(let intent): return intent.from == sender ? .accepted : .refused(.wrongSender)
        case .ack(.answer):
            guard !situation.isSelf, let request = situation.request else { return .ignored }
            // rule: answerSender, else: return .accepted
            if request.owners.last == sender { return .accepted }
            if let head = situation.head, head.owner == sender, head.lineage == request.intent.lineage {
                return .accepted
            }
            return request.owners.contains(sender) ? .ignored : .refused(.notAsked)
        case .ack(.fork(let subject, _)), .ack(.clock(let subject, _, _)):
            return subject == node && sender != node ? .accepted : .ignored
        case .hello: return sender != node ? .accepted : .ignored
        case .ping(_, let to): return to == node && !situation.isSelf ? .accepted : .ignored
        case .pong(let pong, let to):
            let age = situation.context.now.boot - pong.sent
            return to == node && !situation.isSelf
                && pong.connection == situation.connection  // rule: pongConnection
                && (0...Limits.pongAge).contains(age)  // rule: pongAge
                ? .accepted : .ignored
        }
    }

    /// Whether a register shows an intent's effect. Its author must have been asked, or own the current session.
    static func shows(_ register: Register, effectOf request: Requests.Request, head: NodeID?) -> Bool {
        guard register.applied.contains(request.intent.id) else { return false }
        return (request.owners.contains(register.owner) || register.owner == head)  // rule: effectSender
            && register.lineage == request.intent.lineage  // rule: effectLineage
    }

    // MARK: Counters

    /// Whether a version can be an honest node's: an epoch counts lost journals, so it grows slower than time. The
    /// bound rises by one a second. So a second later every reader accepts a version above any that was forged.
    static func isPlausible(_ version: Version, groupTime: GroupTime) -> Bool {
        version.epoch <= Limits.epochs + max(0, groupTime - Limits.earliestStamp).wholeSeconds
    }

    /// The version that an objection makes this node exceed: a bounded step towards the claim. The step is
    /// ``Limits/claimedRevisions`` or one epoch. A node handles one objection a second, so it reaches an honest claim
    /// that is further away after some seconds.
    static func step(from own: Version, towards claim: Version) -> Version {
        let isNear = claim.epoch == own.epoch && claim.rev - own.rev <= Limits.claimedRevisions
        if isNear || claim <= own { return claim }
        return Version(epoch: own.epoch, rev: Limits.counter.upperBound)  // rule: claimBound, else: claim
    }

    // MARK: Rates

    /// Spends a token of a peer's allowance, and returns whether the message is used.
    mutating func charge(_ effort: Effort, to peer: NodeID, _ context: Context) -> Verdict {
        let boot = context.now.boot
        return allowances[effort, default: [:]][peer, default: Allowance(at: boot)].spend(at: boot)
    }

    mutating func forget(_ peer: NodeID) { for effort in allowances.keys { allowances[effort]?[peer] = nil } }
    /// Gives each peer its full allowance for the next session of this node.
    mutating func startSession() { allowances[.intent] = nil }
}

/// The allowance of one peer for one effort: a token bucket.
///
/// A person presses some ten times a second at most, and an intent is repeated once a second, so an honest peer stays
/// below the limit. An owner writes and publishes its register for each intent that takes effect. At 20 a second this
/// takes some percent of a core for each peer. The burst is for scripts that press some buttons in a row.
struct Allowance: Hashable, Sendable {
    /// Tokens added per second. `Trust.md` states it. Fewer refuse a person who presses fast and whose intents are
    /// repeated. More let one peer use more of the owner's processor and disk.
    static let rate: Int64 = 20
    /// Tokens of a full bucket. `Trust.md` states it. Fewer refuse a script that presses often in a row; more lengthen
    /// the burst of work that a hostile peer can cause.
    static let burst: Int64 = 100

    /// The fill level in thousandths of a token. From zero down to `-burst`, the answer is ``Refusal/busy``.
    private var level = burst * 1_000
    private var readAt: BootTime

    init(at boot: BootTime) { readAt = boot }

    mutating func spend(at boot: BootTime) -> Admission.Verdict {
        level = min(level + (boot - readAt).count * Self.rate, Self.burst * 1_000)
        readAt = boot
        guard level - 1_000 >= -Self.burst * 1_000 else { return .refused(.tooOften) }
        level -= 1_000
        return level >= 0 ? .accepted : .busy
    }
}
