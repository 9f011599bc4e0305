// SPDX-License-Identifier: Apache-2.0

/// The state of a node that must survive a crash.
public struct Journal: Hashable, Sendable {
    /// The number of this journal: 1 for the first, one more after each loss. Within ``Limits/counter``.
    public var epoch: Int
    /// The high-water mark of stamps: not below any stamp that was given or admitted.
    public var mark: HybridClock
    public var own: Register?
    /// The last 16 sessions that this node owned before, newest last. Intents for them are still answered.
    public var past: [SessionID]
    /// The mark before the own session was stamped: its stamp must stay above.
    public var base: HybridClock
    /// Whether the own session was started without contact and is not published yet.
    public var isProvisional: Bool
    /// Whether the dates of ``own`` are a guess, because group time was not vouched for since it began.
    public var isGuess: Bool
    /// The register that others know while ``own`` is provisional; its start has ended it.
    public var lastAnnounced: Register?
    /// Whether the dates of ``lastAnnounced`` are a guess.
    public var isLastAnnouncedGuess: Bool
    /// Whether times of the own session may be wrong. Causes are a new stamp, or vouched clocks that contradicted each
    /// other while it lived. Another is a rebuild by date: after a reboot, or in a takeover before the clocks were
    /// compared.
    public var isApproximate: Bool

    /// The caller must check the registers.
    public init(
        epoch: Int = 1, mark: HybridClock = HybridClock(), own: Register? = nil, past: [SessionID] = [],
        base: HybridClock = HybridClock(), isProvisional: Bool = false, isGuess: Bool = false,
        lastAnnounced: Register? = nil, isLastAnnouncedGuess: Bool = false, isApproximate: Bool = false
    ) {
        self.epoch = epoch
        self.mark = mark
        self.own = own
        self.past = past
        self.base = base
        self.isProvisional = isProvisional
        self.isGuess = isGuess
        self.lastAnnounced = lastAnnounced
        self.isLastAnnouncedGuess = isLastAnnouncedGuess
        self.isApproximate = isApproximate
    }
}

extension Journal {
    /// Returns the journal without a session that belongs to a former id of the node. That register stays on the broker
    /// under the old id, where others can take it over. Epoch and mark stay.
    public func owned(by node: NodeID) -> Journal {
        guard let own, own.owner != node else { return self }
        return Journal(epoch: epoch, mark: mark, past: past)
    }

    /// Whether the session began and ended without contact, so that it is not announced. A session that continues
    /// another node's is announced, since that one has to end.
    var isWithheld: Bool {
        guard isProvisional, let own = own, own.continues == nil else { return false }
        return own.status == .completed || own.status == .stopped
    }

    /// Whether a register found on the broker replaces an unannounced session: it is newer than what others know.
    func isReplaced(by found: Register) -> Bool {
        isWithheld && lastAnnounced.map { found.version > $0.version } ?? true
    }

    /// Returns the time from the end of the last run to the takeover of the session. `nil` if no takeover is known, or
    /// if the takeover was dated by another clock than the runs.
    ///
    /// The clocks differ if the takeover is later than the session's end. They also differ if the runs contradict group
    /// time, and the node that took over does not.
    /// - Parameter shift: How far the runs are to be moved.
    func roomBeforeTakeover(
        of shift: Milliseconds, among replicas: Replicas, _ clockSync: ClockSync, _ context: Context
    ) -> Milliseconds? {
        guard let own, let end = own.runs.last?.to, let taken = takenOverAt(among: replicas, context),
            taken <= own.anchor.at
        else { return nil }
        let takers = replicas.registers.filter { $0.lineage == own.lineage && $0.continues?.at == taken }
        let isOtherTime =
            shift > GroupClock.agreement
            && takers.contains { clockSync.claims[$0.owner] != nil && !clockSync.isContradicting($0.owner, context) }
        return isOtherTime ? nil : max(0, taken - end)
    }

    /// Returns when the own session was taken over; `nil` if unknown. `winner` is the current session, which may
    /// continue the one that took this one over.
    func takenOverAt(among replicas: Replicas, by winner: Register? = nil, _ context: Context) -> GroupTime? {
        // rule: takeoverCut, else: return nil
        guard let own else { return nil }
        let others = replicas.registers.map(\.lineagePart) + [winner?.lineagePart].compactMap(\.self)
        if let end = own.lineagePart.takenOverAt(by: others) { return end }
        // Only a later takeover is known, of a session that took this one over.
        guard var later = winner?.lineagePart else { return nil }
        later.takeover?.node = own.owner
        return own.lineagePart.takenOverAt(by: later)
    }
}
