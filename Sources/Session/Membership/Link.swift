// SPDX-License-Identifier: Apache-2.0

/// The connection to the broker, from its subscriptions to the comparison of clocks.
struct Link: Hashable, Sendable {
    /// The time until the barrier counts as passed although it has not returned. The protocol states it. Shorter ends
    /// before a slow broker has sent its retained messages; longer delays a node whose broker drops the barrier.
    private static let barrierTimeout: Milliseconds = .seconds(2)
    /// How long after the barrier this node waits for nodes whose presence the broker does not keep. The protocol
    /// states it. With a shorter wait others may see a session before its node's wrong clock is corrected; a longer one
    /// delays the session.
    private static let clockTimeout: Milliseconds = .seconds(2)
    /// The time between two hellos of a node. The protocol states it. Each hello makes every node publish twice, so
    /// shorter loads the broker; longer delays the answers.
    private static let helloInterval: Milliseconds = .seconds(5)
    /// The wait for answers to a hello. Then it is repeated, if a node that was online has not answered. The protocol
    /// states it. A node answers within 1.2 s, so shorter repeats too early; longer only delays the repetition.
    private static let answerTimeout: Milliseconds = .seconds(2)
    /// The most repetitions of a hello. The protocol states it. A node that is gone never answers, so more are in vain;
    /// fewer give up sooner where messages are lost.
    private static let repeatsLimit = 3

    /// A session that another program has named, and its revision; 0 if that is unknown.
    struct Mention: Hashable, Sendable {
        var session: SessionID
        var rev = 0
    }

    /// The present connection; `nil` while there is none.
    private(set) var connection: ConnectionID?
    /// When the last connection ended; `nil` while there is one.
    private(set) var downSince: BootTime?
    /// Whether the machine is about to suspend.
    private(set) var isSleeping = false
    /// When the wait for the barrier began; `nil` once it has passed.
    private var barrierBegan: BootTime?
    private(set) var barrierPassedAt: BootTime?
    /// When the wait for nodes whose presence the broker does not keep began; `nil` once it has ended.
    private var comparisonBegan: BootTime?
    /// When this node last asked all nodes to publish again on the present connection.
    private var helloAt: BootTime?
    /// The last session that another program named, and its revision, which this node does not hold.
    private var mentioned: Mention?
    /// When to ask for it.
    private(set) var plannedAskAt: BootTime?
    /// When to check whether the nodes that were online have answered the last hello.
    private(set) var answersDueAt: BootTime?
    /// How often the hello is repeated at most from now on.
    private var repeatsLeft = 0
    private var isHelloPending = false
    private var isPresencePending = false
    private var isBarrierPending = false

    var isUp: Bool { connection != nil }
    /// Whether the barrier of the present connection has returned, or the wait for it has ended.
    var isBarrierPassed: Bool { isUp && barrierBegan == nil }
    var barrierDeadline: BootTime? { barrierBegan.map { $0 + Self.barrierTimeout } }
    var comparisonDeadline: BootTime? { comparisonBegan.map { $0 + Self.clockTimeout } }

    mutating func noteConnected(_ connection: ConnectionID, at boot: BootTime) {
        self.connection = connection
        downSince = nil
        barrierBegan = boot
        isPresencePending = true
        isBarrierPending = true
        (helloAt, isHelloPending) = (nil, false)
        (mentioned, plannedAskAt) = (nil, nil)
        (answersDueAt, repeatsLeft) = (nil, Self.repeatsLimit)
    }

    mutating func noteDisconnected(at boot: BootTime) {
        connection = nil
        downSince = boot
        barrierBegan = nil
        comparisonBegan = nil
        (plannedAskAt, answersDueAt) = (nil, nil)
    }

    mutating func noteBarrierPassed(areDatesFinal: Bool, at boot: BootTime) {
        barrierBegan = nil
        barrierPassedAt = boot
        if !areDatesFinal { comparisonBegan = boot }
    }

    mutating func endComparisonWait() { comparisonBegan = nil }

    /// Notes whether the machine is about to suspend, and returns whether that is new.
    mutating func setSleeping(_ isSleeping: Bool) -> Bool {
        guard self.isSleeping != isSleeping else { return false }
        self.isSleeping = isSleeping
        isPresencePending = true
        return true
    }

    mutating func planHello(at boot: BootTime) {
        (helloAt, isHelloPending) = (boot, true)
        plannedAskAt = nil
        if repeatsLeft > 0 { answersDueAt = boot + Self.answerTimeout }
    }

    /// Ends the wait for answers to the last hello.
    mutating func endAnswerWait() {
        answersDueAt = nil
        repeatsLeft -= 1
    }

    /// Plans to ask all nodes for a session, once for each.
    mutating func planAsk(for mention: Mention, at boot: BootTime) {
        if mentioned != mention { (mentioned, plannedAskAt) = (mention, boot) }
    }

    /// Cancels the plan to ask, since a hello was heard or is sent now. Its answers reach this node too.
    mutating func cancelPlannedAsk() { plannedAskAt = nil }

    var hasSaidHello: Bool { helloAt != nil }

    func maySayHello(at boot: BootTime) -> Bool { helloAt.map { boot >= $0 + Self.helloInterval } ?? true }
    func hasSaidHello(within time: Milliseconds, at boot: BootTime) -> Bool {
        helloAt.map { boot < $0 + time } ?? false
    }
    mutating func planPresence() { isPresencePending = true }

    /// Returns whether a hello is to be published now, once. A hello of a connection that has ended is not published.
    mutating func removePendingHello() -> Bool {
        defer { isHelloPending = false }
        return isHelloPending && isUp
    }

    /// Returns the connection whose presence is to be published now, once.
    mutating func removePendingPresence() -> ConnectionID? {
        defer { isPresencePending = false }
        return isPresencePending ? connection : nil
    }

    /// Returns the connection whose barrier is to be sent now, once.
    mutating func removePendingBarrier() -> ConnectionID? {
        defer { isBarrierPending = false }
        return isBarrierPending ? connection : nil
    }

    /// Notes that there is no connection since the start of the process.
    mutating func noteStart(at boot: BootTime) { downSince = boot }
}
