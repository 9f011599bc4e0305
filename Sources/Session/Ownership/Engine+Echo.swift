// SPDX-License-Identifier: Apache-2.0

/// What this node hears on its own topic.
extension Engine {
    mutating func receiveEcho(_ echo: Register, at now: Instant) {
        guard link.isSettled else {
            if echo.version > link.found?.version ?? Version(epoch: -1, rev: 0) { link.found = echo }
            return
        }
        guard let own = journal.own else { return adopt(echo, at: now) }
        if journal.isWithheld {
            // What the others know of this node is what stands there, unless the journal holds a newer one.
            if echo.version > journal.before?.version ?? Version(epoch: -1, rev: 0) { adopt(echo, at: now) }
            return
        }
        let isExpected = link.isEcho(echo.version)
        if echo.version > own.version || (echo.version == own.version && echo != own) {
            contest(echo.version, at: now)
        } else if echo.version < own.version, !isExpected, link.isReady, keeps(.echoRepair) {
            // Before the barrier the own one is about to be published anyhow.
            emit(.log(.repaired(own.version)))
            repair(at: now)
        }
    }

    /// An observer says that it holds two registers of one version of this node, or one that this node does not know of.
    mutating func receiveFork(_ claim: Version, at now: Instant) {
        guard let own = journal.own, claim >= own.version else { return }
        contest(Admission.step(from: own.version, towards: claim, rules: configuration.rules), at: now)
    }

    /// Another register speaks for this node under a version that is not below its own: the own one goes above it.
    private mutating func contest(_ version: Version, at now: Instant) {
        link.contested = max(link.contested ?? version, version)
        repair(at: now)
    }

    /// After the first barrier: a register that the journal does not know of is taken back from the broker, unless a
    /// person has started another session meanwhile, which then goes above it.
    mutating func recover(at now: Instant) {
        guard let found = link.found, keeps(.recovery) else { return }
        link.found = nil
        guard let own = journal.own else { return adopt(found, at: now) }
        if found.id == own.id { isKnown(at: now) }
        if journal.isWithheld, found.version > journal.before?.version ?? Version(epoch: -1, rev: 0) {
            return adopt(found, at: now)
        }
        guard found.version >= own.version, found != own else { return }
        if disk.isFresh {
            if found.id != own.id { retire(found.id) }
            let stamp = stampAbove(found.stamp, at: now)
            change(above: found.version) { if let stamp { $0.stamp = stamp } }
        } else if found.version > own.version {
            adopt(found, at: now)
        } else {
            change { _ in }
        }
    }

    /// The others have heard of the own session after all.
    private mutating func isKnown(at now: Instant) {
        journal.isProvisional = false
        journal.before = nil
        link.timeDeadline = nil
        yieldIfBeaten(at: now)
    }

    /// A start made before an earlier one of this node was found, by a clock behind it, has never left the node: its
    /// stamp is made again, above that one. `nil` when that is not needed.
    private mutating func stampAbove(_ found: Stamp, at now: Instant) -> Stamp? {
        guard let own = journal.own, own.stamp <= found, HeldRegister.admits(found, groupTime: groupTime(now)) else {
            return nil
        }
        _ = journal.mark.see(found)
        return journal.mark.stamp(at: groupTime(now), node: node)
    }

    /// Takes a register of this node back that the journal had lost, in a new epoch.
    private mutating func adopt(_ found: Register, at now: Instant) {
        if let lost = journal.own?.id, lost != found.id { retire(lost) }
        journal.isProvisional = false
        // What took effect may be undone.
        answers.effects = Answers.Memory()
        if journal.own?.id != found.id { journal.isGuess = false }
        journal.before = nil
        link.timeDeadline = nil
        if HeldRegister.admits(found.stamp, groupTime: groupTime(now)) { _ = journal.mark.see(found.stamp) }
        var own = found
        own.epoch = min(max(journal.epoch, found.epoch), Limits.counter.upperBound - 1) + 1
        if !keeps(.epochOnRecovery) { own.epoch -= 1 }
        journal.own = own
        settleOnBoot(at: now)
        change { _ in }
        emit(.log(.recovered(found.id)))
        advanceOwn(at: now)
        yieldIfBeaten(at: now)
        cutAtTakeover()
    }
}
