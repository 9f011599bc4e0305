// SPDX-License-Identifier: Apache-2.0

/// Decides whether a message of a node is used. Every check of a message against what is known stands in this file.
///
/// The codec comes first: it drops what is not well-formed, what a field's bounds forbid, and what names another node than
/// its topic. The broker's rules see to it that a node publishes below its own topic only. So the sender is known here, but
/// it can lie in everything that it says. `Trust.md` states what a lie can reach.
struct Admission: Hashable, Sendable {
    /// What the check of one message came to.
    enum Verdict: Hashable, Sendable {
        case accepted
        /// Not used and answered as ``Refusal/busy``.
        case busy
        /// Not used, and counted for its sender.
        case refused(Discard)
        /// Not meant for this node, or an answer that came late. Nobody is at fault.
        case ignored
    }

    /// What this node knows when the message comes.
    struct Known {
        var node: NodeID
        /// Whether messages of the sender are this node's own.
        var isSelf: Bool
        var groupTime: Int64
        /// The request that an answer speaks of.
        var request: Requests.Request?
        /// The owner and the lineage of the session that is shown.
        var head: (owner: NodeID, lineage: SessionID)?
        var rules = Rules.all
    }

    private var intents: [NodeID: Allowance] = [:]
    private var pings: [NodeID: Allowance] = [:]
    private var pongs: [NodeID: Allowance] = [:]
    private var objections: [NodeID: Allowance] = [:]

    /// Checks one message. What is limited in its rate is checked where its cost arises, by the functions below.
    static func judge(_ message: Message, from sender: NodeID, retained: Bool, knowing known: Known) -> Verdict {
        switch message {
        case .presence: return .accepted
        case .register(let register):
            if register.owner != sender { return .refused(.wrongSender) }
            return isPlausible(register.version, groupTime: known.groupTime) || !known.rules.contains(.epochBound)
                ? .accepted : .refused(.outOfBounds)
        case _ where retained: return .refused(.retained)
        case .intent(let intent): return intent.from == sender ? .accepted : .refused(.wrongSender)
        case .ack(.answer):
            guard !known.isSelf, let request = known.request else { return .ignored }
            if request.owners.last == sender || !known.rules.contains(.answerSender) { return .accepted }
            if let head = known.head, head.owner == sender, head.lineage == request.intent.lineage { return .accepted }
            return request.owners.contains(sender) ? .ignored : .refused(.notAsked)
        case .ack(.fork(let subject, _)), .ack(.clock(let subject, _, _)):
            return subject == known.node && sender != known.node ? .accepted : .ignored
        case .hello: return sender != known.node ? .accepted : .ignored
        case .ping(_, let to), .pong(_, let to): return to == known.node && !known.isSelf ? .accepted : .ignored
        }
    }

    /// Whether a register of `register`'s author shows that an intent took effect.
    static func shows(_ register: Register, effectOf request: Requests.Request, head: NodeID?, rules: Rules) -> Bool {
        guard register.applied.contains(request.intent.id) else { return false }
        if !rules.contains(.answerSender) { return true }
        let isAsked = request.owners.contains(register.owner) || register.owner == head
        return isAsked && register.lineage == request.intent.lineage
    }

    // MARK: Counters

    /// Whether a version can be one of an honest node: an epoch counts lost journals, so it grows slower than time.
    ///
    /// The bound rises by one a second. Whatever was written under a node's name, a second later there is a version above
    /// it that every reader takes.
    static func isPlausible(_ version: Version, groupTime: Int64) -> Bool {
        version.epoch <= Limits.epochs + Int(max(0, groupTime - Limits.earliestStamp) / 1_000)
    }

    /// The version that an objection makes this node go above. Another node only claims to have seen `claim`, so it
    /// raises the revision by ``Limits/claimedRevisions`` at most, and the epoch by one.
    ///
    /// A node heeds one objection a second, so an honest claim that is further away is reached after some seconds.
    static func step(from own: Version, towards claim: Version, rules: Rules) -> Version {
        let isNear = claim.epoch == own.epoch && claim.rev - own.rev <= Limits.claimedRevisions
        if isNear || claim <= own || !rules.contains(.claimBound) { return claim }
        return Version(epoch: own.epoch, rev: Limits.counter.upperBound)
    }

    // MARK: Rates

    /// Charges an intent for a session of this node to the peer that sent it.
    mutating func charge(intentOf peer: NodeID, at boot: Int64) -> Verdict {
        intents[peer, default: Allowance(at: boot)].take(at: boot)
    }

    /// Charges the answer to a ping to the peer that asked.
    mutating func charge(pingOf peer: NodeID, at boot: Int64) -> Verdict {
        pings[peer, default: Allowance(at: boot)].take(at: boot)
    }

    /// Charges what a pong may change to the peer that says it.
    ///
    /// A node asks eight times within 280 ms and then five times a second, so an honest peer never meets the limit.
    mutating func charge(pongOf peer: NodeID, at boot: Int64) -> Verdict {
        pongs[peer, default: Allowance(at: boot)].take(at: boot)
    }

    /// Charges an objection to the peer whose register is objected to.
    mutating func charge(objectionTo peer: NodeID, at boot: Int64) -> Verdict {
        objections[peer, default: Allowance(at: boot)].take(at: boot)
    }

    /// Forgets the rates of a peer that is gone.
    mutating func forget(_ peer: NodeID) {
        intents[peer] = nil
        pings[peer] = nil
        objections[peer] = nil
    }

    /// This node has begun another session: each peer has its full allowance for it.
    mutating func startSession() { intents = [:] }
}

/// What one peer may cause per second: a token bucket.
///
/// A person presses some ten times a second at most, and an intent is repeated once a second, so an honest peer never meets
/// the limit. An owner writes and publishes its register for each intent that takes effect; 20 a second are some percent
/// of a core for each peer. The burst is for scripts that press some buttons in a row.
struct Allowance: Hashable, Sendable {
    /// Tokens that come back per second.
    static let rate: Int64 = 20
    /// Tokens of a bucket that is full.
    static let burst: Int64 = 100

    /// In thousandths of a token. Below zero, as far as `-burst`, the peer is told that it is too fast.
    private var level = burst * 1_000
    private var readAt: Int64

    init(at boot: Int64) { readAt = boot }

    /// - Parameter boot: The boot clock.
    mutating func take(at boot: Int64) -> Admission.Verdict {
        level = min(level + (boot - readAt) * Self.rate, Self.burst * 1_000)
        readAt = boot
        guard level - 1_000 >= -Self.burst * 1_000 else { return .refused(.tooOften) }
        level -= 1_000
        return level >= 0 ? .accepted : .busy
    }
}

extension HeldRegister {
    /// Whether a stamp is near enough to group time to count.
    static func admits(_ stamp: Stamp, groupTime: Int64) -> Bool {
        stamp.time >= Limits.earliestStamp && stamp.time - groupTime <= Limits.stampLead
    }
}
