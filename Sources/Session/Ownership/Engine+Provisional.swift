// SPDX-License-Identifier: Apache-2.0

/// A session that was started without contact: this node shows and counts it at once, the others learn of it when there
/// is contact again, stamped with its true start, if it still lives.
extension Engine {
    /// Group time is known, or was waited for long enough.
    mutating func timeIsKnown(at now: Instant) {
        link.timeDeadline = nil
        guard link.isReady else { return }
        yieldIfBeaten(at: now)
        leaveProvisional(at: now)
        publishOwn()
    }

    /// What began and ended without contact disturbs nobody: this node goes back to the register that is known of it.
    mutating func leaveProvisional(at now: Instant) {
        guard journal.isWithheld, link.isReady, link.timeDeadline == nil, let own = journal.own,
            var before = journal.before
        else { return }
        retire(own.id)
        let version = own.version.next
        before.epoch = version.epoch
        before.rev = version.rev
        before.last = nil
        journal.own = before
        journal.epoch = version.epoch
        journal.isProvisional = false
        journal.isGuess = journal.isGuessBefore
        journal.before = nil
        journal.isApproximate = false
        isViewDirty = true
        let asked = disk.askedOwn
        // The machine may have been booted while the later one lasted.
        settleOnBoot(at: now)
        dateOwn(at: now)
        if disk.askedOwn == asked { writeOwn() }
        cutAtTakeover()
        emit(.log(.keptToItself(own.id)))
    }

}

extension Journal {
    /// Whether the own session began and ended without contact, so that nobody needs to hear of it. What continues
    /// another node's session did not begin here: that one has to end.
    var isWithheld: Bool {
        guard isProvisional, let own, own.continues == nil else { return false }
        return own.status == .completed || own.status == .stopped
    }
}

extension Register {
    /// The session as a start on the same node ended it.
    func ended(by next: Register) -> Register {
        var register = self
        let end = next.continues?.at ?? next.startedAt
        register.closeRun(at: end)
        register.status = .superseded
        register.supersededBy = Superseder(session: next.id, node: next.owner, at: end)
        register.last = nil
        return register
    }
}
