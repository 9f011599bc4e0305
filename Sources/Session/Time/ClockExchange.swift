// SPDX-License-Identifier: Apache-2.0

/// Asks a node for its clocks.
public struct Ping: Hashable, Sendable {
    /// The asking connection: an answer to an earlier one is of no use.
    public var connection: ConnectionID
    /// The asker's boot clock, in milliseconds; comes back as it is.
    public var sent: Int64
    /// The asker's group time, so that who sees it differ can ask back.
    public var at: Int64

    /// Makes a ping.
    public init(connection: ConnectionID, sent: Int64, at: Int64) {
        self.connection = connection
        self.sent = sent
        self.at = at
    }
}

/// A node's clocks at the one instant at which it read the ping and wrote the answer.
public struct Pong: Hashable, Sendable {
    /// The connection that asked.
    public var connection: ConnectionID
    /// The asker's boot clock when it asked.
    public var sent: Int64
    /// The boot in which ``boot`` was read.
    public var bootID: BootID
    /// The answering node's boot clock, in milliseconds.
    public var boot: Int64
    /// Its wall clock as it stands, right or wrong.
    public var wall: Int64
    /// Group time as it has it.
    public var at: Int64
    /// What it knows of that clock.
    public var clock: ClockQuality

    /// Makes a pong.
    public init(
        connection: ConnectionID, sent: Int64, bootID: BootID, boot: Int64, wall: Int64, at: Int64,
        clock: ClockQuality
    ) {
        self.connection = connection
        self.sent = sent
        self.bootID = bootID
        self.boot = boot
        self.wall = wall
        self.at = at
        self.clock = clock
    }
}

/// What is known of another node's clocks.
///
/// A ping that left at `sent` and was answered at the peer's reading `boot` before `now` says for certain that the
/// peer's boot clock is ahead of this one by at least `boot - now` and at most `boot - sent`, whichever way the delay
/// was shared between the two directions. Every exchange narrows that interval; drift widens it.
struct ClockEstimate: Hashable, Sendable {
    /// Milliseconds in which two quartzes drift apart by one microsecond at most: 200 millionths.
    static let driftMilliseconds: Int64 = 5

    let bootID: BootID
    /// The interval, in microseconds, as of ``at``.
    private var low: Int64
    private var high: Int64
    /// This node's boot clock at the last exchange.
    private(set) var at: Int64
    /// And when its ping was sent.
    private var sent: Int64
    /// What the peer's wall clock reads beyond its boot clock.
    private let wallLead: Int64
    /// What its group time is beyond its boot clock.
    private let timeLead: Int64
    private(set) var clock: ClockQuality
    /// Whether the node was there all the time since.
    var isPresent = true

    /// Both what was known and what a further exchange says.
    init(_ pong: Pong, at now: Int64, after known: ClockEstimate? = nil) {
        bootID = pong.bootID
        // A reading says the millisecond that has begun.
        low = (pong.boot - now - 1) * 1_000
        // While the pong was on its way, the peer's clock may have gained.
        high = (pong.boot - pong.sent + 1) * 1_000 + Self.drift(in: now - pong.sent)
        at = now
        sent = pong.sent
        wallLead = pong.wall - pong.boot
        timeLead = pong.at - pong.boot
        clock = pong.clock
        guard let known, known.bootID == bootID else { return }
        let drift = Self.drift(in: now - known.at)
        let (low, high) = (max(low, known.low - drift), min(high, known.high + drift))
        // Where they contradict each other, a clock has done what clocks do not; the newer word counts.
        if low <= high { (self.low, self.high) = (low, high) }
    }

    /// Whether a pong speaks of a boot that is over.
    func isLater(than pong: Pong) -> Bool { pong.bootID != bootID && pong.sent <= sent }

    /// By how many microseconds two clocks can drift apart in so many milliseconds.
    private static func drift(in milliseconds: Int64) -> Int64 { max(0, milliseconds) / driftMilliseconds + 1 }

    /// The same in whole milliseconds, rounded up.
    static func driftBound(in milliseconds: Int64) -> Int64 { (drift(in: milliseconds) + 999) / 1_000 }

    /// The peer's boot clock beyond this node's, in milliseconds: the middle of what is possible.
    var offset: Int64 { Int64((Double(low + high) / 2_000).rounded()) }

    /// By how much ``offset`` is wrong at most, in milliseconds.
    func bound(at now: Int64) -> Int64 { bound(of: offset, at: now) }

    /// By how much another offset, chosen earlier, is wrong at most, in milliseconds.
    func bound(of chosen: Int64, at now: Int64) -> Int64 {
        (max(high - chosen * 1_000, chosen * 1_000 - low) + Self.drift(in: now - at) + 999) / 1_000
    }

    /// What has to be added to this node's boot clock to get the peer's wall clock.
    var lead: Int64 { offset + wallLead }

    /// What has to be added to this node's boot clock to get the peer's group time.
    var groupLead: Int64 { offset + timeLead }
}

/// Whom this node asks for the time, and when next.
struct Exchange: Hashable, Sendable {
    /// Pings of a burst, and the milliseconds between them.
    private static let burst = 8
    static let quick: Int64 = 40
    /// A bound that is good enough, in milliseconds; until it is reached, up to so many pings go on.
    private static let goodBound: Int64 = 4
    fileprivate static let enough = 64
    /// For how many milliseconds something waits for the first answer of all.
    static let patience: Int64 = 300
    private static let gentle: Int64 = 200
    /// For how many milliseconds somebody has to be one of the first, where there are more than are asked: of many that
    /// come at the same time each is so for a moment, and would be asked by all the others.
    private static let settling: Int64 = 1_000
    /// The longest rest between exchanges while a session runs.
    private static let longestRest: Int64 = 120_000
    /// The rest while the time has to be shown as approximate, and between two comparisons after contradictions.
    private static let shortRest: Int64 = 5_000

    private(set) var estimates: [NodeID: ClockEstimate] = [:]
    private(set) var rounds: [NodeID: Round] = [:]
    /// When somebody is to be asked next, on the boot clock.
    var nextWake: Int64? { rounds.values.lazy.compactMap(\.next).min() }
    /// Nodes whose group time, when they last said it, contradicted this node's.
    private(set) var contradicting: Set<NodeID> = []
    /// When all clocks were last compared again because of a contradiction, and when to do so next, on the boot clock.
    private(set) var comparedAt: Int64?
    private(set) var compareAt: Int64?
    /// When the last connection ended, on the boot clock: wall clocks may have been set since.
    private var hungUpAt = Int64.min
    /// Whether whom to ask may be another question than it was.
    var isDirty = false
    /// What was asked last; `nil` when the answer may be another one although the question is the same.
    var question: Question?

    /// What the choice of whom to ask depends on, besides who is there.
    struct Question: Hashable, Sendable {
        /// Whether it is known who is there.
        var isReady: Bool
        /// The owner of the live session that is shown here, if that is another node.
        var owner: NodeID?
        /// The boot that the owner should be in.
        var boot: BootID?
        /// Whether this machine's own clock is not known to be right.
        var needsCouncil: Bool
        /// What was learnt before it is not good enough.
        var since: Int64?
    }

    struct Round: Hashable, Sendable {
        /// When to ask next, on the boot clock; `nil` for not again.
        var next: Int64?
        var sent = 0
        /// The boot that the node should be in, where it is asked for as long as its session runs.
        var boot: BootID?

        var isUnderWay: Bool { next != nil && (1..<Exchange.enough).contains(sent) }
    }

    /// - Returns: Whether it says anything: nobody goes back to an earlier boot.
    mutating func learn(_ pong: Pong, of node: NodeID, at now: Int64) -> Bool {
        if let known = estimates[node], known.isLater(than: pong) { return false }
        estimates[node] = ClockEstimate(pong, at: now, after: estimates[node])
        return true
    }

    /// Takes note of the group time that a node says.
    /// - Parameter lead: What it is beyond this node's boot clock.
    mutating func hear(lead: Int64, of node: NodeID, contradicts: Bool, at now: Int64) {
        guard contradicts else {
            if contradicting.remove(node) != nil { lookAnew() }
            return
        }
        let isKnown = estimates[node].map { abs($0.groupLead - lead) <= GroupClock.agreement } ?? true
        // What was compared and is contradicted still is no news.
        if contradicting.insert(node).inserted || !isKnown { compareAgain(at: now) }
    }

    /// A node is gone: its clock contradicts nobody, and is asked for when it is back.
    mutating func depart(_ node: NodeID) {
        contradicting.remove(node)
        estimates[node]?.isPresent = false
    }

    /// Has all clocks compared again, at most once in five seconds.
    mutating func compareAgain(at now: Int64) {
        let due = comparedAt.map { $0 + Self.shortRest } ?? now
        guard due <= now else { return compareAt = due }
        (comparedAt, compareAt) = (now, nil)
        startOver()
    }

    /// The connection is gone, and with it what is asked.
    mutating func hangUp(at now: Int64) {
        (contradicting, comparedAt, compareAt, hungUpAt) = ([], nil, nil, now)
        startOver()
    }

    /// Has whom to ask looked at anew, whatever the question.
    mutating func lookAnew() {
        question = nil
        isDirty = true
    }

    /// Whether a node has answered since the last connection ended.
    func hasAnswered(_ node: NodeID) -> Bool { estimates[node].map { $0.at > hungUpAt } ?? false }

    /// Asks these nodes, and no others.
    /// - Parameters:
    ///   - lasting: Whom to ask for as long as it is among them, and the boot that it should be in.
    ///   - since: What was learnt before this instant is not good enough.
    ///   - isFull: Whether there are more than are asked.
    mutating func plan(
        _ nodes: Set<NodeID>, lasting: (node: NodeID, boot: BootID)?, since: Int64?, isFull: Bool = false, at now: Int64
    ) {
        rounds = rounds.filter { nodes.contains($0.key) }
        let isFirst = rounds.isEmpty
        for node in nodes {
            let boot = node == lasting?.node ? lasting?.boot : nil
            if let round = rounds[node], round.boot == boot || boot == nil || round.isUnderWay {
                rounds[node]?.boot = boot
                continue
            }
            let canWait = isFull && !isFirst && boot == nil && since == nil
            rounds[node] = Round(next: canWait ? now + Self.settling : now, boot: boot)
            if let estimate = estimates[node], estimate.at > max(since ?? .min, hungUpAt),
                boot == nil || estimate.bootID == boot,
                case let bound = estimate.bound(at: now), bound <= Self.goodBound
            {
                rest(node, bound: bound, at: now)
            }
        }
    }

    /// What is under way begins again, with one node or with all.
    mutating func startOver(with node: NodeID? = nil) {
        if let node { rounds[node] = nil } else { rounds = [:] }
        lookAnew()
    }

    /// A node's machine was suspended: there a boot clock goes by the battery clock, on some machines by whole seconds.
    mutating func forget(_ node: NodeID) {
        estimates[node] = nil
        startOver(with: node)
    }

    /// This machine was suspended.
    mutating func forgetAll() {
        estimates = [:]
        startOver()
    }

    /// Nodes to ask now.
    mutating func due(at now: Int64) -> [NodeID] {
        let due = rounds.filter { $0.value.next.map { $0 <= now } ?? false }.keys.sorted()
        for node in due {
            guard var round = rounds[node] else { continue }
            round.sent += 1
            let bound = estimates[node]?.bound(at: now)
            if round.sent < Self.burst {
                round.next = now + Self.quick
            } else if bound == nil {
                // Nobody answers: less and less often.
                round.next = now + (1_000 << Int64(min(round.sent - Self.burst, 9)))
            } else {
                round.next = now + Self.gentle
            }
            rounds[node] = round
            guard let bound, round.sent >= Self.burst else { continue }
            let isDone = bound <= Self.goodBound || round.sent >= Self.enough || round.boot == nil
            if isDone { rest(node, bound: bound, at: now) }
        }
        return due
    }

    /// Asks a node no more; an owner again before drift makes the time of its session approximate.
    private mutating func rest(_ node: NodeID, bound: Int64, at now: Int64) {
        let spare = (Limits.exactEnough - bound) * 1_000 * ClockEstimate.driftMilliseconds
        let rest = min(max(spare, 2 * Self.shortRest) - Self.shortRest, Self.longestRest)
        guard let boot = rounds[node]?.boot else { return rounds[node] = Round(next: nil, sent: Self.enough) }
        rounds[node] = Round(next: now + rest, sent: Self.enough, boot: boot)
    }
}
