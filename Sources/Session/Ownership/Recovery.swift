// SPDX-License-Identifier: Apache-2.0

/// The way back to a register of this node that the journal or the broker kept.
struct Recovery: Hashable, Sendable {
    /// Whether a session began in this process.
    var hasSessionBegun = false

    /// Adopts the journal of an earlier process.
    func restore(
        _ found: Journal, filed: Version?, in ownership: inout Ownership, _ dating: inout Dating, _ context: Context
    ) {
        ownership.journal = found
        dating = Dating(mark: StampMark(found.mark, context))
        // A crash may have undone the version of a record that is sent all the same: no other one may get its number.
        if let filed { ownership.raiseVersion(above: filed) }
        rebase(&ownership, context)
    }

    /// Moves the anchor to the present boot clock, by date, if the machine was rebooted. A final register gets a new
    /// revision too, since the broker's copy would otherwise differ under the same version.
    private func rebase(_ ownership: inout Ownership, _ context: Context) {
        guard let own = ownership.register, own.anchor.bootID != context.bootID else { return }
        if own.status == .running { ownership.journal.isApproximate = true }
        // The times may come from two clocks now: the error of one does not determine that of the other.
        if context.source != .mark { ownership.journal.isGuess = false }
        ownership.change { $0 = own.rebased(context) }
    }

    /// Compares the broker's register of this node with the journal, at the first barrier of a process. A register that
    /// the journal lacks is adopted, unless a person has started another session since: that goes above it.
    func recover(
        _ found: Register, in ownership: inout Ownership, _ dating: inout Dating, _ context: Context
    ) -> EngineNote? {
        guard let own = ownership.register else { return adopt(found, in: &ownership, &dating, context) }
        if ownership.journal.isReplaced(by: found) { return adopt(found, in: &ownership, &dating, context) }
        guard found.version >= own.version, found != own else { return nil }
        if found.version > own.version, !hasSessionBegun { return adopt(found, in: &ownership, &dating, context) }
        if hasSessionBegun, found.id != own.id { ownership.retire(found.id) }
        let stamp = hasSessionBegun ? dating.stampAbove(found.stamp, in: &ownership, context) : nil
        ownership.change(above: found.version) { if let stamp { $0.stamp = stamp } }
        return nil
    }

    /// Adopts a register of this node from the broker that the journal had lost, in a new epoch.
    func adopt(_ found: Register, in ownership: inout Ownership, _ dating: inout Dating, _ context: Context)
        -> EngineNote
    {
        let journal = ownership.journal
        let epoch = min(max(journal.epoch, found.epoch), Limits.counter.upperBound - 1)
        let isKnown = journal.own?.id == found.id
        var version = Version(epoch: epoch, rev: found.rev)
        version.epoch += 1  // rule: epochOnRecovery
        ownership.replace(with: found, above: version, isGuess: isKnown && journal.isGuess)
        if context.admits(found.stamp) { dating.raiseMark(to: found.stamp, in: &ownership, context) }
        rebase(&ownership, context)
        return .recovered(found.id)
    }

    /// Restores the register that others know, after a session that began and ended without contact. The end of that
    /// session is written first, so that its ledger record was in a journal on disk.
    func leaveProvisional(in ownership: inout Ownership, _ context: Context) -> EngineNote? {
        guard ownership.journal.isWithheld, !ownership.isRegisterChanged, let own = ownership.register,
            let announced = ownership.journal.lastAnnounced
        else { return nil }
        ownership.replace(with: announced, above: own.version, isGuess: ownership.journal.isLastAnnouncedGuess)
        ownership.journal.isApproximate = false
        // The machine may have been rebooted since.
        rebase(&ownership, context)
        return .notAnnounced(own.id)
    }
}
