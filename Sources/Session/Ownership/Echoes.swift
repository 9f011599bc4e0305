// SPDX-License-Identifier: Apache-2.0

/// This node's own topics at the broker, and when to publish on them again. Presence, register and notice are repaired
/// together, at most once a second, so that two programs with one id do not overwrite each other at full speed.
struct Echoes: Hashable, Sendable {
    /// The most versions whose echoes are awaited. Ten peers may press 100 times before the first echo. With fewer, own
    /// echoes look like outdated registers and are repaired; more only take memory.
    private static let expectedLimit = 1_024
    /// The time between two repairs, and before a reminder. The protocol states it.
    private static let interval: Milliseconds = .seconds(1)
    /// The time over which the nodes of a space spread their answers to a hello. Shorter means that more nodes answer
    /// at one instant; a person notices a longer one at a screen that joins.
    private static let helloSpread: Milliseconds = 200

    /// The wait for the next repair; `nil` if none is planned.
    private var repairWait: Wait?
    private var repairedAt = BootTime.distantPast
    private var publishedAt = BootTime.distantPast
    private var reminderPlannedAt: BootTime?
    /// Whether the broker has delivered this node's own retained presence on this connection.
    private(set) var sawOwnPresence = false
    /// The broker's largest register of this node before the first barrier of this process, for
    /// ``noteBarrierPassed()``.
    private var found: Register?
    private(set) var hasPassedBarrier = false
    /// Whether a node has joined since the last reminder.
    private var hasNewcomer = false
    /// The largest version of this node that another program claims; the next repair exceeds it.
    private var contested: Version?
    /// Whether the broker returns what this node publishes.
    private var hearsItself = true
    private var expected: [Version] = []

    /// When to publish presence, register and notice again.
    var repairAt: BootTime? { repairWait.map { max($0.end, repairedAt + Self.interval) } }
    /// When the reminder is due, which publishes the own register again. It is for a newcomer, or if an older live
    /// register of another node is still there.
    var reminderAt: BootTime? { reminderPlannedAt.map { $0 + Self.interval } }

    /// How a register on the own topic compares with the journal.
    enum Finding {
        /// Nothing is to be done now. Before the first barrier the register is kept for ``noteBarrierPassed()``.
        case nothingToDo
        /// The journal lacks it.
        case lost
        /// It is older than the own register, which was published.
        case outdated
        /// Its version is not below that of the own register.
        case contested
    }

    mutating func noteConnected(hearsItself: Bool) {
        self.hearsItself = hearsItself
        sawOwnPresence = false
        expected = []
    }

    mutating func noteDisconnected() {
        repairWait = nil
        (reminderPlannedAt, hasNewcomer) = (nil, false)
        contested = nil
    }

    /// Expects the echo of a register that leaves now. Under *no local* there is none, and an older register on the own
    /// topic is always repaired. A broker that returns echoes all the same causes few repairs. An echo of the present
    /// version causes none, and echoes of older versions cause at most one a second.
    mutating func expect(_ version: Version, at boot: BootTime) {
        publishedAt = boot
        if hearsItself { expected.append(version, limit: Self.expectedLimit) }
    }

    /// Whether the own register was published long enough ago for all to have it.
    func isEstablished(at boot: BootTime) -> Bool { boot >= publishedAt + Self.interval }

    /// Removes a version whose echo is expected, with those before it, and returns whether there was one.
    private mutating func removeExpected(through version: Version) -> Bool {
        guard let index = expected.firstIndex(of: version) else { return false }
        expected.removeFirst(index + 1)
        return true
    }

    /// Receives a register on the own topic, and returns how it compares with the journal.
    mutating func receive(_ echo: Register, journal: Journal, isBarrierPassed: Bool) -> Finding {
        guard hasPassedBarrier else {
            if echo.version > found?.version ?? Version(epoch: -1, rev: 0) { found = echo }
            return .nothingToDo
        }
        guard let own = journal.own else { return .lost }
        // A withheld session leaves the register there alone, and gives way to one newer than the last announced.
        if journal.isWithheld { return journal.isReplaced(by: echo) ? .lost : .nothingToDo }
        let isExpected = removeExpected(through: echo.version)
        if echo.version > own.version || (echo.version == own.version && echo != own) {
            contest(echo.version)
            return .contested
        }
        // Before the barrier the own register is about to be published in any case.
        let isOutdated = echo.version < own.version && !isExpected && isBarrierPassed
        return isOutdated ? .outdated : .nothingToDo  // rule: echoRepair, else: .nothingToDo
    }

    /// Makes the next repair exceed a version that another program claims for this node.
    mutating func contest(_ version: Version) { contested = max(contested ?? version, version) }

    /// Ends the time before the barrier, and returns the broker's largest register of this node, once.
    mutating func noteBarrierPassed() -> Register? {
        hasPassedBarrier = true
        defer { found = nil }
        return found
    }

    mutating func noteOwnPresence() { sawOwnPresence = true }

    /// Plans a repair for now, or for when the next one is allowed.
    mutating func repair(at boot: BootTime) { repairWait = Wait(from: boot, for: 0) }

    /// Returns the time after which a node answers a hello, or says one that other nodes may say too. It depends on the
    /// node's id, so that the nodes of a large space do not all send at once.
    static func helloDelay(of node: NodeID) -> Milliseconds {
        Milliseconds(Int64(FNV.hash(node.rawValue.utf8.span) % UInt64(helloSpread.count)))
    }

    /// Plans a repair as the answer to a hello, up to ``helloSpread`` later.
    mutating func answerHello(of node: NodeID, at boot: BootTime) {
        let wait = Wait(from: boot, for: Self.helloDelay(of: node))
        if wait.end < repairWait?.end ?? .distantFuture { repairWait = wait }
    }

    /// Removes the due repair, and returns the version that it must exceed, if another program claims one.
    mutating func removeDueRepair(at boot: BootTime) -> Version? {
        (repairWait, repairedAt) = (nil, boot)
        defer { contested = nil }
        return contested
    }

    /// Plans a reminder, because an older live register or another node has appeared. The broker may have lost the own
    /// register before they could read it, or keep it at another member of a cluster. So the own register is published
    /// once more, unless the author of the older one has yielded by then.
    mutating func planReminder(isForNewcomer: Bool, at boot: BootTime) {
        reminderPlannedAt = reminderPlannedAt ?? boot
        hasNewcomer = hasNewcomer || isForNewcomer
    }

    /// Removes the due reminder, and returns whether it is for a node that has joined.
    mutating func removeDueReminder() -> Bool {
        defer { (reminderPlannedAt, hasNewcomer) = (nil, false) }
        return hasNewcomer
    }
}
