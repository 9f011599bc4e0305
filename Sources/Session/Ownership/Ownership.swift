// SPDX-License-Identifier: Apache-2.0

/// This node's own session and the journal that contains it. A change of the register raises its version. Changes are
/// collected until the end of the input: then records are filed, and the journal is written once.
struct Ownership: Hashable, Sendable {
    /// Former sessions for which intents are answered. People start fewer within ``Limits/intentLife``. With a smaller
    /// number some presses get no answer; a larger one makes each write of the journal larger.
    static let pastLimit = 16
    /// Latest effects that are forwarded after a takeover, as the protocol states: more than people press before one.
    private static let carriedLimit = 16

    /// ``Dating`` and ``Recovery`` change some of its fields, but the register only by the functions below.
    var journal = Journal()
    /// Whether the register must be published: it has changed, or the connection is new.
    private(set) var isUnpublished = true
    /// Whether the register has changed since a write of the journal was last asked for.
    private(set) var isRegisterChanged = false
    private var isJournalChanged = false
    /// Records of sessions that were replaced since then.
    private var records: [Effect] = []
    /// The intents that took effect last, oldest first. A continuation elsewhere may lack them.
    private var carried: [Intent] = []

    var register: Register? { journal.own }
    /// When the running phase of the session ends; `nil` while no phase runs.
    var boundary: BootTime? { journal.own?.boundary }
    var isProvisional: Bool { journal.isProvisional }

    // MARK: Writing and publishing

    /// Removes the collected changes: the records of changed sessions, and whether the register has changed.
    /// `isDisputed` tells whether vouched clocks contradict each other.
    mutating func removeChanges(isDisputed: Bool) -> (records: [Effect], isRegister: Bool)? {
        guard isJournalChanged || isRegisterChanged else { return nil }
        let isRegister = isRegisterChanged
        if isRegister, isDisputed { journal.isApproximate = true }
        fileRecord()
        isJournalChanged = false
        defer { records = [] }
        return (records, isRegister)
    }

    /// Plans to write the journal, also without a change of the register.
    mutating func writeAgain() { isJournalChanged = true }
    mutating func publishAgain() { isUnpublished = true }

    mutating func notePublished() {
        isUnpublished = false
        noteAnnounced()
    }

    /// Notes that others know the session.
    mutating func noteAnnounced() {
        guard journal.isProvisional else { return }
        journal.isProvisional = false
        journal.lastAnnounced = nil
        isJournalChanged = true
    }

    private mutating func fileRecord() {
        guard isRegisterChanged, let own = journal.own else { return }
        records.append(.record(own, isApproximate: journal.isApproximate))
        isRegisterChanged = false
    }

    // MARK: Changing the register

    /// Changes the register under the version that follows its own and `other`. `cause` is the intent behind it.
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

    /// Puts a register into the journal, under the version that follows `version`.
    mutating func put(_ register: consuming Register, above version: Version) {
        let version = version.next
        register.version = version
        journal.own = register
        journal.epoch = version.epoch
        isRegisterChanged = true
        isUnpublished = true
    }

    /// Applies an intent that has turned the register into `changed`.
    mutating func apply(_ intent: Intent, making changed: Register, at time: GroupTime) {
        let cause = LastIntent(intent: intent.id, op: intent.operation.name, from: intent.from, at: time)
        change(by: cause) { $0 = changed }
        carried.append(intent, limit: Self.carriedLimit)
    }

    /// Ends the phases whose time is over, and returns whether there were any.
    mutating func advance(at boot: BootTime) -> Bool {
        guard let boundary, boundary <= boot, let own = journal.own else { return false }
        let lateness: Milliseconds? = Limits.lateness  // rule: lateness, else: nil
        let advanced = own.advanced(since: boot - own.anchor.boot, lateness: lateness)
        change { $0 = advanced }
        return true
    }

    /// Remembers a session that another one of this node has replaced.
    mutating func retire(_ session: SessionID) {
        journal.past.append(session, limit: Self.pastLimit)
    }

    /// Replaces the present register with an earlier one of this node.
    mutating func replace(with register: Register, above version: Version, isGuess: Bool) {
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

    // MARK: Beginning

    /// A new session of this node.
    struct Beginning {
        /// The new register; `begin` sets its stamp and version.
        var register: Register
        /// The intent that a takeover applied.
        var intent: Intent?
        /// Whether some of its time was counted by date.
        var isApproximate = false
    }

    /// Begins a session whose stamp is above all that were seen. It is provisional if there is no contact: if
    /// `isBarrierPassed` is false.
    /// - Returns: A field that is out of bounds, and then nothing has changed; `nil` if the session has begun.
    mutating func begin(
        _ beginning: Beginning, stampedBy dating: inout Dating, isBarrierPassed: Bool, _ context: Context
    ) -> String? {
        let last = journal.own?.version ?? Version(epoch: journal.epoch, rev: 0)
        // A register needs a version of its own.
        guard last.next > last else { return "epoch" }
        var register = beginning.register
        register.stamp = dating.mark.nextStamp(context)
        register.version = last.next
        if let invalidField = register.invalidField { return invalidField }
        let ended = end(by: register, context)
        if isBarrierPassed {
            journal.isProvisional = false
            journal.lastAnnounced = nil
        } else if !journal.isProvisional {
            journal.isProvisional = true  // rule: provisional
            journal.lastAnnounced = ended
            journal.isLastAnnouncedGuess = journal.isGuess
        }
        journal.isApproximate = beginning.isApproximate
        journal.isGuess = !context.areDatesFinal
        journal.base = dating.mark.seen
        dating.adopt(register.stamp, in: &self)
        put(register, above: last)
        carried = beginning.intent.map { [$0] } ?? []
        return nil
    }

    /// Ends the session where `next` begins, and files its record. Returns it under the version that others know.
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
    mutating func yield(to replicas: Replicas, _ context: Context) -> EngineNote? {
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
    /// Only a takeover that names this session's node cuts a session that is over, by the rule of ``LineagePart``.
    mutating func cut(by replicas: Replicas, _ context: Context) -> Bool {
        guard let own = journal.own, own.status == .superseded, let end = own.runs.last?.to,
            let instant = journal.takenOverAt(among: replicas, context), end > instant
        else { return false }
        change { $0.cutRuns(at: instant) }
        return true
    }

    /// Empties the list of intents that took effect here, and returns those that the continuation lacks, for its owner.
    mutating func removeIntentsToForward(to replicas: Replicas, _ context: Context) -> [Intent] {
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
}
