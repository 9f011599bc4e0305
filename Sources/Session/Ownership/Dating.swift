// SPDX-License-Identifier: Apache-2.0

/// The stamps and dates of the own session. A new stamp is above the mark, which the journal keeps. Dates that are a
/// guess move with group time until it is vouched for.
struct Dating: Hashable, Sendable {
    private(set) var mark = StampMark()

    /// Raises the mark to a new stamp of this node.
    mutating func adopt(_ stamp: Stamp, in ownership: inout Ownership) {
        mark.adopt(stamp)
        store(in: &ownership)
    }

    mutating func raiseMark(to stamp: Stamp, in ownership: inout Ownership, _ context: Context) {
        if mark.raise(to: stamp, context) { store(in: &ownership) }
    }

    /// Raises the mark to the own stamp, which may have become admissible by time alone.
    mutating func raiseMarkToOwnStamp(in ownership: inout Ownership, _ context: Context) {
        if let own = ownership.register, context.admits(own.stamp) { raiseMark(to: own.stamp, in: &ownership, context) }
    }

    /// Computes the mark again from the stamps that count, after group time has jumped.
    mutating func renewMark(above replicas: Replicas, in ownership: inout Ownership, _ context: Context) {
        if mark.isAhead(context) {
            mark.reset()
            store(in: &ownership)
        }
        for held in replicas.all where held.isAdmitted { raiseMark(to: held.stamp, in: &ownership, context) }
        raiseMarkToOwnStamp(in: &ownership, context)
    }

    private func store(in ownership: inout Ownership) {
        ownership.journal.mark = mark.written
        ownership.writeAgain()
    }

    /// Returns a new stamp above `found`, that of an earlier start, for a start that was not published yet. The clock
    /// of this node may have been ahead then. `nil` if the own stamp is above `found`, or `found` does not count.
    mutating func stampAbove(_ found: Stamp, in ownership: inout Ownership, _ context: Context) -> Stamp? {
        guard let own = ownership.register, own.stamp <= found, context.admits(found) else { return nil }
        raiseMark(to: found, in: &ownership, context)
        let stamp = mark.nextStamp(context)
        adopt(stamp, in: &ownership)
        return stamp
    }

    /// Moves a session whose dates are a guess with group time, until group time is vouched for.
    mutating func date(
        _ ownership: inout Ownership, among replicas: Replicas, _ clockSync: ClockSync, _ context: Context
    ) -> EngineNote? {
        // rule: dated, else: return nil
        guard ownership.journal.isGuess, let own = ownership.register else { return nil }
        let wanted = shift(of: own, context)
        // Runs that move beyond the takeover of a superseded session would be cut off there.
        let isSuperseded = own.status == .superseded
        let room =
            isSuperseded ? ownership.journal.roomBeforeTakeover(of: wanted, among: replicas, clockSync, context) : nil
        let shift = min(wanted, room ?? wanted)
        let isFinal = context.areDatesFinal && shift == wanted
        guard isFinal || shift.magnitude > GroupClock.tolerance else { return nil }
        if isFinal {  // rule: dateFinal
            ownership.journal.isGuess = false
            ownership.writeAgain()
        }
        // All times of the session move by the shift, and its stamp too, unless other nodes know a larger one already.
        var moved = own.moved(by: shift)
        moved.anchor.bound = context.bound.map {
            $0 + ClockEstimate.driftBound(in: context.now.boot - own.anchor.boot)
        }
        moved.stamp = stamp(of: own, in: ownership.journal, movedBy: shift, among: replicas, context)
        guard moved != own, moved.invalidField == nil else { return nil }
        if moved.stamp != own.stamp { raiseMark(to: moved.stamp, in: &ownership, context) }
        ownership.change { $0 = moved }
        return .restamped(own.id, from: own.stamp.time, to: moved.stamp.time)
    }

    /// Gives a new stamp to a session whose stamp group time does not admit; the caller checks that. Dates stay.
    mutating func restamp(_ ownership: inout Ownership, among replicas: Replicas, _ context: Context) -> EngineNote? {
        // rule: restamp, else: return nil
        guard let own = ownership.register else { return nil }
        let shift = shift(of: own, context)
        let stamp = stamp(of: own, in: ownership.journal, movedBy: shift, among: replicas, context)
        guard stamp != own.stamp else { return nil }
        ownership.journal.isApproximate = true
        raiseMark(to: stamp, in: &ownership, context)
        ownership.change { $0.stamp = stamp }
        return .restamped(own.id, from: own.stamp.time, to: stamp.time)
    }

    /// Returns group time minus the time that the session's anchor gives this instant.
    private func shift(of own: Register, _ context: Context) -> Milliseconds {
        context.groupTime - (context.now.boot - own.anchor.boot) - own.anchor.at
    }

    /// The stamp of the session when its times are moved.
    ///
    /// It is above the stamps that were seen before the start, so that this start wins over them. It is not above those
    /// seen since, so that a later start wins over this one. A published stamp stays if the session has ended. A
    /// smaller one replaces it only if group time admits the new one alone.
    private func stamp(
        of own: Register, in journal: Journal, movedBy shift: Milliseconds, among replicas: Replicas, _ context: Context
    ) -> Stamp {
        let began = (own.continues?.at ?? own.startedAt) + shift
        var mark = journal.base
        if context.isAhead(mark) {
            mark = HybridClock()
            // A clock that was ahead put this mark also above starts that came later.
            for held in replicas.all
            where held.isAdmitted && journal.base.isAtLeast(held.stamp)
                && held.stamp.time <= began + Limits.stampLead
            {
                _ = mark.see(held.stamp)
            }
        }
        let stamp = mark.stamp(at: min(max(began, Limits.earliestStamp), context.groupTime), node: own.owner)
        let isPublished = !journal.isProvisional
        let isBetter = context.admits(stamp) && !context.admits(own.stamp)
        let isKept = isPublished && (!own.status.isLive || stamp < own.stamp) && !isBetter
        return isKept ? own.stamp : stamp
    }
}
