// SPDX-License-Identifier: Apache-2.0

/// This node's own session and the journal that contains it.
///
/// A change of the register raises its version. Changes are collected until the end of the input: then the records of the
/// changed sessions are filed, and the journal is written once.
struct Ownership: Hashable, Sendable {
    /// Former sessions of this node for which intents are still answered. A judgement: more than a person starts while a
    /// peer is offline for ``Limits/intentLife``.
    static let pastSessions = 16
    /// Intents that took effect last and are forwarded after a takeover; the protocol states it. A judgement: more than
    /// are pressed in the seconds before a takeover.
    private static let carriedIntents = 16

    private(set) var journal = Journal()
    private(set) var mark = StampMark() {
        didSet { journal.mark = mark.written }
    }
    /// Whether the register must be published: it has changed, or the connection is new.
    private(set) var isUnpublished = true
    /// Whether the register has changed since a write of the journal was last asked for.
    private(set) var isRegisterChanged = false
    private var isJournalChanged = false
    /// Records of sessions that were replaced since then.
    private var records: [Effect] = []
    /// Whether the session was started by this process.
    private var isFresh = false
    /// The intents that took effect last, oldest first. A continuation elsewhere may lack them.
    private var carried: [Intent] = []

    var register: Register? { journal.own }
    /// When the session's current phase ends, on the boot clock; `nil` unless a countdown runs.
    var boundary: Int64? { journal.own?.boundary }
    var isProvisional: Bool { journal.isProvisional }

    // MARK: Writing and publishing

    /// Removes the collected changes.
    /// - Parameter isDisputed: Whether vouched clocks contradict each other.
    /// - Returns: The records of changed sessions, and whether the register has changed; `nil` without a change.
    mutating func removeChanges(isDisputed: Bool) -> (records: [Effect], isRegister: Bool)? {
        guard isJournalChanged || isRegisterChanged else { return nil }
        let isRegister = isRegisterChanged
        if isRegister, isDisputed { journal.isApproximate = true }
        fileRecord()
        isJournalChanged = false
        defer { records = [] }
        return (records, isRegister)
    }

    /// Plans to write the journal again, because the last write failed.
    mutating func writeAgain() { isJournalChanged = true }

    mutating func publishAgain() { isUnpublished = true }

    /// Records that the register leaves.
    mutating func published() {
        isUnpublished = false
        announced()
    }

    /// Records that others know the session.
    private mutating func announced() {
        guard journal.isProvisional else { return }
        journal.isProvisional = false
        journal.lastAnnounced = nil
        isJournalChanged = true
    }

    /// Files the record of the present session if it has changed.
    private mutating func fileRecord() {
        guard isRegisterChanged, let own = journal.own else { return }
        records.append(.record(own, isApproximate: journal.isApproximate))
        isRegisterChanged = false
    }

    // MARK: Changing the register

    /// Changes the register under the version that follows its own and `other`. `cause` is the intent behind the change.
    mutating func change(above other: Version? = nil, by cause: LastIntent? = nil, _ body: (inout Register) -> Void) {
        guard var own = journal.own else { return }
        let version = max(own.version, other ?? own.version)
        body(&own)
        own.last = cause
        put(consume own, above: version)
    }

    /// Raises the version above one that another program claims, without another change.
    mutating func raiseVersion(above other: Version) {
        if let own = journal.own, other >= own.version { change(above: other) { _ in } }
    }

    private mutating func put(_ register: consuming Register, above version: Version) {
        let version = version.next
        register.version = version
        journal.own = register
        journal.epoch = version.epoch
        isRegisterChanged = true
        isUnpublished = true
    }

    /// Applies an intent that has turned the register into `changed`.
    mutating func apply(_ intent: Intent, making changed: Register, at time: Int64) {
        let cause = LastIntent(intent: intent.id, op: intent.operation.name, from: intent.from, at: time)
        change(by: cause) { $0 = changed }
        carried.append(intent, limit: Self.carriedIntents)
    }

    /// Advances the session over the phase boundaries that time has crossed.
    /// - Returns: Whether it crossed one.
    mutating func advance(at boot: Int64) -> Bool {
        guard let boundary, boundary <= boot, let own = journal.own else { return false }
        let lateness: Int64? = Limits.lateness  // rule: lateness, else: nil
        let advanced = own.advanced(since: boot - own.anchor.boot, lateness: lateness)
        change { $0 = advanced }
        return true
    }

    /// Remembers a session that another one of this node has replaced.
    private mutating func retire(_ session: SessionID) {
        journal.past.append(session, limit: Self.pastSessions)
    }

    // MARK: Beginning

    /// Adopts the journal of an earlier process.
    mutating func restore(_ found: Journal, filed: Version?, _ context: Context) {
        journal = found
        mark = StampMark(found.mark, context)
        // The record of a version that a crash undid may be sent nevertheless, so no other version has its number.
        if let filed { raiseVersion(above: filed) }
        lowerEpoch(context)
        rebase(context)
    }

    /// Repairs a journal whose epoch no reader accepts: an earlier version of this program let others raise it.
    private mutating func lowerEpoch(_ context: Context) {
        let version = Version(epoch: journal.epoch, rev: 0)
        guard !Admission.isPlausible(version, groupTime: context.groupTime) else { return }
        journal.epoch = 1
        if var own = journal.own {
            own.last = nil
            put(own, above: Version(epoch: 1, rev: 0))
        }
    }

    /// Moves the anchor to the present boot clock, by date, if the machine was rebooted.
    ///
    /// A final register gets a new revision too, since the broker's copy would otherwise differ under the same version.
    private mutating func rebase(_ context: Context) {
        guard let own = journal.own, own.anchor.bootID != context.bootID else { return }
        if own.status == .running { journal.isApproximate = true }
        // The times may come from two clocks now: the error of one does not determine that of the other.
        if context.source != .mark { journal.isGuess = false }
        change { $0 = own.rebased(context) }
    }

    /// A new session of this node.
    struct Beginning {
        /// The new register; `begin` sets its stamp and version.
        var register: Register
        /// The intent that a takeover applied.
        var intent: Intent?
        /// Whether some of its time was counted by date.
        var isApproximate = false
    }

    /// Begins a session, stamped above all stamps that were seen.
    /// - Parameter isReady: Whether there is contact; a start without it is provisional.
    /// - Returns: The field that is out of bounds; then nothing has changed. `nil` on success.
    mutating func begin(_ beginning: Beginning, isReady: Bool, _ context: Context) -> String? {
        let last = journal.own?.version ?? Version(epoch: journal.epoch, rev: 0)
        // A register needs a version of its own.
        guard last.next > last else { return "epoch" }
        var register = beginning.register
        register.stamp = mark.nextStamp(context)
        register.version = last.next
        if let invalidField = register.invalidField { return invalidField }
        let ended = end(by: register, context)
        if isReady {
            journal.isProvisional = false
            journal.lastAnnounced = nil
        } else if !journal.isProvisional {
            journal.isProvisional = true  // rule: provisional
            journal.lastAnnounced = ended
            journal.isLastAnnouncedGuess = journal.isGuess
        }
        journal.isApproximate = beginning.isApproximate
        journal.isGuess = !context.source.isVouched
        journal.markBeforeStart = mark.seen
        mark.adopt(register.stamp)
        put(register, above: last)
        isFresh = true
        carried = beginning.intent.map { [$0] } ?? []
        return nil
    }

    /// Ends the present session where `next` begins, and files its record.
    /// - Returns: The ended register, under the version that others know.
    private mutating func end(by next: Register, _ context: Context) -> Register? {
        guard let own = journal.own else { return nil }
        retire(own.id)
        guard own.status.isLive else {
            fileRecord()
            return own
        }
        let superseder = Superseder(session: next.id, node: next.owner, at: next.continues?.at ?? next.startedAt)
        var ended = own.anchored(context).superseded(by: superseder)
        ended.last = nil
        // No register shows this end, so it has no version of its own: its record takes that of the next session.
        var record = ended
        record.version = next.version
        records.append(.record(record, isApproximate: journal.isApproximate))
        return ended
    }

    // MARK: Losing

    /// Ends the own session if a later start is current.
    mutating func yield(to replicas: Replicas, _ context: Context) -> Note? {
        // rule: yield, else: return nil
        guard let own = journal.own, own.status.isLive, let winner = replicas.current?.register,
            winner.stamp > own.stamp
        else { return nil }
        let superseder = Superseder(session: winner.id, node: winner.owner, at: context.groupTime)
        let takenOverAt = journal.takenOverAt(among: replicas, by: winner, context)
        change {
            $0 = own.anchored(context).superseded(by: superseder)
            if let takenOverAt { $0.cutRuns(at: takenOverAt) }
        }
        return .superseded(own.id, by: superseder)
    }

    /// Ends the minutes of a superseded session at its takeover, which may arrive after the start that superseded it.
    ///
    /// Only a takeover that names this session's node cuts a session that is over, by the rule of ``ChainLink``.
    /// - Returns: Whether anything changed.
    mutating func cut(by replicas: Replicas, _ context: Context) -> Bool {
        guard let own = journal.own, own.status == .superseded, let end = own.runs.last?.to,
            let instant = journal.takenOverAt(among: replicas, context), end > instant
        else { return false }
        change { $0.cutRuns(at: instant) }
        return true
    }

    /// Removes the intents that took effect here and that the continuation lacks. Its owner is asked for them.
    mutating func removeForwarded(to replicas: Replicas, _ context: Context) -> [Intent] {
        guard !carried.isEmpty, let own = journal.own, let winner = replicas.current?.register,
            winner.lineage == own.lineage, winner.owner != own.owner, winner.stamp > own.stamp
        else { return [] }
        // From a full list an intent may have been removed, so that it would take effect twice.
        guard winner.applied.count < Limits.applied else {
            carried = []
            return []
        }
        defer { carried = [] }
        return carried.filter { !winner.hasApplied($0) }
    }

    /// Restores the register that others know, after a session that began and ended without contact.
    ///
    /// The end of that session is written first, so that its ledger record was in a journal on disk.
    mutating func leaveProvisional(_ context: Context) -> Note? {
        guard journal.isUnannounced, !isRegisterChanged, let own = journal.own,
            let lastAnnounced = journal.lastAnnounced
        else { return nil }
        replace(with: lastAnnounced, above: own.version, isGuess: journal.isLastAnnouncedGuess)
        journal.isApproximate = false
        // The machine may have been rebooted since.
        rebase(context)
        return .notAnnounced(own.id)
    }

    /// Replaces the present register with an earlier one of this node.
    private mutating func replace(with register: Register, above version: Version, isGuess: Bool) {
        if let own = journal.own, own.id != register.id {
            fileRecord()
            retire(own.id)
        }
        journal.isProvisional = false
        journal.isGuess = isGuess
        journal.lastAnnounced = nil
        var register = register
        register.last = nil
        put(register, above: version)
    }

    // MARK: Recovering

    /// Adopts a register of this node from the broker that the journal had lost, in a new epoch.
    mutating func adopt(_ found: Register, _ context: Context) -> Note {
        let epoch = min(max(journal.epoch, found.epoch), Limits.counter.upperBound - 1)
        let isKnown = journal.own?.id == found.id
        var version = Version(epoch: epoch, rev: found.rev)
        version.epoch += 1  // rule: epochOnRecovery
        replace(with: found, above: version, isGuess: isKnown && journal.isGuess)
        if context.admits(found.stamp) { raiseMark(to: found.stamp, context) }
        rebase(context)
        return .recovered(found.id)
    }

    /// Compares the broker's register of this node with the journal, at the first barrier of a process.
    ///
    /// A register that the journal lacks is adopted, unless a person has started another session since: that goes above it.
    mutating func recover(_ found: Register, _ context: Context) -> Note? {
        guard let own = journal.own else { return adopt(found, context) }
        if found.id == own.id { announced() }
        if journal.yieldsPlace(to: found) { return adopt(found, context) }
        guard found.version >= own.version, found != own else { return nil }
        if found.version > own.version, !isFresh { return adopt(found, context) }
        if isFresh, found.id != own.id { retire(found.id) }
        let stamp = isFresh ? stampAbove(found.stamp, context) : nil
        change(above: found.version) { if let stamp { $0.stamp = stamp } }
        return nil
    }

    /// A new stamp for a start that was not published yet, above an earlier start of this node.
    ///
    /// That one may be of a clock that was ahead. `nil` if the own stamp is above it already.
    private mutating func stampAbove(_ found: Stamp, _ context: Context) -> Stamp? {
        guard let own = journal.own, own.stamp <= found, context.admits(found) else { return nil }
        raiseMark(to: found, context)
        let stamp = mark.nextStamp(context)
        mark.adopt(stamp)
        return stamp
    }

    // MARK: Stamps and dates

    /// Raises the mark to an admitted stamp.
    mutating func raiseMark(to stamp: Stamp, _ context: Context) {
        if mark.raise(to: stamp, context) { isJournalChanged = true }
    }

    /// Raises the mark to the own stamp, which may have become admissible by time alone.
    mutating func raiseMarkToOwnStamp(_ context: Context) {
        if let own = journal.own, context.admits(own.stamp) { raiseMark(to: own.stamp, context) }
    }

    /// Computes the mark again from the stamps that count, after group time has jumped.
    mutating func renewMark(above replicas: Replicas, _ context: Context) {
        if mark.isAhead(context) {
            mark.reset()
            isJournalChanged = true
        }
        for held in replicas.all where held.isAdmitted { raiseMark(to: held.stamp, context) }
        raiseMarkToOwnStamp(context)
    }

    /// Moves a session whose dates are a guess with group time, until group time is vouched for.
    mutating func date(among replicas: Replicas, _ context: Context) -> Note? {
        // rule: dated, else: return nil
        guard journal.isGuess, let own = journal.own else { return nil }
        let shift = journal.shift(of: own, context)
        let isFinal = context.source.isVouched
        guard isFinal || abs(shift) > GroupClock.tolerance else { return nil }
        if isFinal { endGuess() }  // rule: dateFinal
        return move(own, by: shift, among: replicas, context)
    }

    /// Records that the dates of the session are final.
    private mutating func endGuess() {
        journal.isGuess = false
        isJournalChanged = true
    }

    /// Moves all times of the session, and its stamp as far as that may move.
    private mutating func move(_ own: Register, by shift: Int64, among replicas: Replicas, _ context: Context) -> Note?
    {
        var moved = own.moved(by: shift)
        moved.anchor.bound = context.bound.map {
            $0 + ClockEstimate.driftBound(in: context.now.boot - own.anchor.boot)
        }
        moved.stamp = journal.stamp(of: own, movedBy: shift, among: replicas, context)
        guard moved != own, moved.invalidField == nil else { return nil }
        if moved.stamp != own.stamp { raiseMark(to: moved.stamp, context) }
        change { $0 = moved }
        return .restamped(own.id, from: own.stamp.time, to: moved.stamp.time)
    }

    /// Gives a new stamp to a session whose stamp group time does not admit; the caller checks that.
    ///
    /// The session's dates stay.
    mutating func restamp(among replicas: Replicas, _ context: Context) -> Note? {
        // rule: restamp, else: return nil
        guard let own = journal.own else { return nil }
        let stamp = journal.stamp(of: own, movedBy: journal.shift(of: own, context), among: replicas, context)
        guard stamp != own.stamp else { return nil }
        journal.isApproximate = true
        raiseMark(to: stamp, context)
        change { $0.stamp = stamp }
        return .restamped(own.id, from: own.stamp.time, to: stamp.time)
    }
}
