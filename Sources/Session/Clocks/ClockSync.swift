// SPDX-License-Identifier: Apache-2.0

/// The pings to other nodes: which nodes are asked for their clocks, when, and the estimates from their answers.
struct ClockSync: Hashable, Sendable {
    /// Pings of a burst. The shortest of eight delays is near the least possible. Fewer leave a larger error; more
    /// delay the first exact time.
    fileprivate static let burst = 8
    /// The time between the pings of a burst.
    static let burstInterval: Milliseconds = 40
    /// The least time between the pings of a burst, for each online node. So the nodes together send some 2,000 pings a
    /// second at most, while each asks eight nodes.
    private static let pacePerNode: Milliseconds = 5
    /// An error bound that is good enough to end the pings, since no person sees it. Smaller costs pings for nothing;
    /// larger becomes visible sooner as clocks drift.
    private static let goodBound: Milliseconds = 4
    /// Pings of a poll that reaches no ``goodBound``. A network that slow does not get better, so more are in vain.
    /// Fewer could miss the one quick answer.
    fileprivate static let pingsLimit = 64
    /// The time between pings after the burst.
    fileprivate static let pollInterval: Milliseconds = 200
    /// The longest wait after pings without an answer: eight and a half minutes. Shorter means more pings to nodes that
    /// never answer. Longer means that a node which answers again, but publishes nothing, is measured later.
    private static let longestWait: Milliseconds = .seconds(512)
    /// The time that a message with a group time waits for the first pong: a burst.
    static let firstAnswerLimit: Milliseconds = 300
    /// Pings without an answer after which a node counts as silent: 2.5 seconds. The protocol states it.
    private static let silentAfter = 7
    /// The shortest time between two polls of one node that its presences cause. A peer can publish any number of
    /// presences.
    private static let restartInterval: Milliseconds = .seconds(1)
    /// The longest interval between exchanges while a session runs. It keeps drift below 25 ms; shorter costs more
    /// pings.
    private static let longestIdleInterval: Milliseconds = .seconds(120)
    /// The shortest interval between exchanges and between comparisons. Shorter means more pings because of a false
    /// clock; longer means that a contradiction lasts longer.
    private static let shortestIdleInterval: Milliseconds = .seconds(5)

    private(set) var estimates: [NodeID: ClockEstimate] = [:]
    private(set) var polls: [NodeID: Poll] = [:] {
        didSet { nextWake = polls.values.lazy.compactMap(\.wait?.end).min() }
    }
    /// When the next ping is due.
    private(set) var nextWake: BootTime?
    /// When the latest poll of each node sent its first ping.
    private var beganAt: [NodeID: BootTime] = [:]
    /// Pings since a node's last pong. Each doubles the wait for the next, so that no node overloads another.
    private var unanswered: [NodeID: Int] = [:]
    /// The nodes whose vouched clocks tell group time: at most ``Limits/timeReferences``.
    private(set) var references: [NodeID] = []
    /// The time between the pings of a burst: longer in a large space, whose broker serves all of them.
    private var pace = burstInterval
    /// The lead of the group time that each node has stated last.
    private(set) var claims: [NodeID: Lead] = [:]
    /// When all clocks were last compared again because of a contradiction.
    private var comparedAt: BootTime?
    /// Whether to compare them again once ``shortestIdleInterval`` has passed since then.
    private var isComparisonWanted = false
    /// When the last connection ended: wall clocks may have been set since.
    private var disconnectedAt = BootTime.distantPast
    /// The latest plan; `nil` if the same plan may now lead to other nodes.
    private var plan: Plan?

    /// The conditions of the choice of nodes, besides who is online.
    struct Plan: Hashable, Sendable {
        /// Whether it is known who is online.
        var isBarrierPassed: Bool
        var owner: NodeID?
        /// The boot that the owner should be in.
        var boot: BootID?
        /// Whether this machine's kernel does not vouch for its clock.
        var needsReferences: Bool

        /// Takes the conditions from the view that the node shows.
        init(_ view: View, isBarrierPassed: Bool, needsReferences: Bool) {
            (self.isBarrierPassed, self.needsReferences) = (isBarrierPassed, needsReferences)
            guard !view.isOwner, let shown = view.register, shown.status.isLive else { return }
            (owner, boot) = (shown.owner, shown.anchor.bootID)
        }
    }

    /// The pings to one node.
    struct Poll: Hashable, Sendable {
        var wait: Wait?
        var sent = 0
        /// The time between the pings of its burst.
        var pace = ClockSync.burstInterval
        /// The boot that the node should be in, if it is asked as long as its session runs.
        var boot: BootID?

        var isInBurst: Bool { wait != nil && (1..<ClockSync.burst).contains(sent) }
        var isUnderWay: Bool { wait != nil && (1..<ClockSync.pingsLimit).contains(sent) }
        /// The time until the next ping if this one is answered.
        var interval: Milliseconds { sent < ClockSync.burst ? pace : max(pace, ClockSync.pollInterval) }
    }

    /// Receives a pong, and returns the node's new estimate; `nil` if the pong is from an earlier boot.
    mutating func receive(_ pong: Pong, from node: NodeID, at now: BootTime) -> ClockEstimate? {
        if let known = estimates[node], known.isLater(than: pong) { return nil }
        unanswered[node] = nil
        // Pings without an answer have made the wait longer.
        if let poll = polls[node], poll.isUnderWay, let wait = poll.wait, now + poll.interval < wait.end {
            polls[node]?.wait = Wait(from: now, for: poll.interval)
        }
        let estimate = ClockEstimate(pong, at: now, after: estimates[node])
        estimates[node] = estimate
        return estimate
    }

    /// Receives the group time that a node states. Returns whether it newly contradicts this node's.
    mutating func receive(claim time: GroupTime, of node: NodeID, _ context: Context) -> Bool {
        let claim = Lead(of: time, over: context.now.boot)
        let known = claims.updateValue(claim, forKey: node).map { context.now.boot + $0 }
        guard GroupClock.contradict(time, context.groupTime) else { return false }
        let isNews = known.map { GroupClock.contradict($0, time) || !GroupClock.contradict($0, context.groupTime) }
        guard isNews ?? true else { return false }
        compareAgain(at: context.now.boot)
        return true
    }

    /// Whether the group time that a node has stated last contradicts this node's.
    func isContradicting(_ node: NodeID, _ context: Context) -> Bool {
        claims[node].map { GroupClock.contradict(context.now.boot + $0, context.groupTime) } ?? false
    }

    /// The group time of another node, by which it judges what it receives: this node's own unless they contradict.
    func time(of node: NodeID, _ context: Context) -> GroupTime {
        let time = claims[node].map { context.now.boot + $0 } ?? context.groupTime
        return GroupClock.contradict(time, context.groupTime) ? time : context.groupTime
    }

    /// Notes that a node is gone: its clock contradicts no other until it returns.
    mutating func noteGone(_ node: NodeID) {
        claims[node] = nil
        estimates[node]?.isPresent = false
    }

    /// Notes that a node's kernel no longer vouches for its clock, and returns whether it did until now.
    mutating func noteUnvouched(_ node: NodeID) -> Bool {
        guard estimates[node]?.clock.isSynced == true else { return false }
        estimates[node]?.clock.isSynced = false
        return true
    }

    /// When to compare all clocks again; `nil` if no comparison is wanted.
    var compareAt: BootTime? {
        isComparisonWanted ? comparedAt.map { $0 + Self.shortestIdleInterval } : nil
    }

    mutating func compareIfDue(at now: BootTime) {
        if let compareAt, compareAt <= now { compareAgain(at: now) }
    }

    /// Compares all clocks again, at most once in ``shortestIdleInterval``.
    mutating func compareAgain(at now: BootTime) {
        isComparisonWanted = true
        if let compareAt, now < compareAt { return }
        (comparedAt, isComparisonWanted) = (now, false)
        beginAgain()
    }

    mutating func noteDisconnected(at now: BootTime) {
        (claims, comparedAt, isComparisonWanted, disconnectedAt) = ([:], nil, false, now)
        restart()
    }

    mutating func planAgain() { plan = nil }
    /// Whether a node has answered since the last connection ended.
    func hasAnswered(_ node: NodeID) -> Bool { estimates[node].map { $0.at > disconnectedAt } ?? false }

    private func isSilent(_ node: NodeID) -> Bool { unanswered[node, default: 0] >= Self.silentAfter }

    /// Whether every vouched clock that is to be asked has answered, or does not answer.
    var areReferencesKnown: Bool { references.allSatisfy { hasAnswered($0) || isSilent($0) } }

    /// Chooses the nodes to ask.
    ///
    /// One is the owner of the live session that is shown here. The others depend on whether this machine's kernel
    /// vouches for its clock. If it does not, they are nodes whose kernels vouch, which tell this node the time. If
    /// there are none, they are any online nodes, which may know of one. If this kernel vouches, they are the vouching
    /// nodes that contradict it, so that both sides know.
    mutating func update(_ plan: Plan, among peers: Peers, _ context: Context) {
        guard plan != self.plan else { return }
        self.plan = plan
        pace = max(Self.burstInterval, Int64(peers.online.count) * Self.pacePerNode)
        references = []
        guard plan.isBarrierPassed else { return polls = [:] }
        var nodes: Set<NodeID> = []
        var continuous: (NodeID, BootID)?
        if let owner = plan.owner, let boot = plan.boot, peers[owner].presence?.isOnline != false {
            nodes.insert(owner)
            continuous = (owner, boot)
        }
        let vouching = peers.vouching.filter { $0 != context.node }
        if plan.needsReferences {
            references = firstToAsk(of: vouching)
            // Another node may follow a vouched clock of a node whose presence the broker has withheld.
            let others = peers.online.filter { $0 != context.node && peers.hasVote($0) }
            nodes.formUnion(vouching.isEmpty ? firstToAsk(of: others) : references)
        } else {
            let contradicting = vouching.filter { isContradicting($0, context) }
            nodes.formUnion(contradicting.prefix(Limits.timeReferences))
        }
        ask(nodes, continuousPeer: continuous, since: comparedAt, at: context.now.boot)
    }

    /// Returns the nodes to ask: first those that have answered, last those that are silent, each group ordered by id.
    private func firstToAsk(of nodes: [NodeID]) -> [NodeID] {
        let ranked = nodes.map { (rank: hasAnswered($0) ? 0 : isSilent($0) ? 2 : 1, node: $0) }
        return ranked.sorted { ($0.rank, $0.node) < ($1.rank, $1.node) }.prefix(Limits.timeReferences).map(\.node)
    }

    /// Begins the polls of these nodes, and ends all others.
    /// - Parameters:
    ///   - continuousPeer: The node to ask as long as its session runs, and the boot that it should be in.
    ///   - since: Estimates from before this time are not good enough.
    mutating func ask(
        _ nodes: Set<NodeID>, continuousPeer: (node: NodeID, boot: BootID)?, since: BootTime?, at now: BootTime
    ) {
        polls = polls.filter { nodes.contains($0.key) }
        for node in nodes.sorted() {
            let boot = node == continuousPeer?.node ? continuousPeer?.boot : nil
            if let poll = polls[node], poll.boot == boot || boot == nil || poll.isUnderWay {
                polls[node]?.boot = boot
                continue
            }
            let left = beganAt[node].map { $0 + Self.restartInterval - now } ?? 0
            polls[node] = Poll(wait: Wait(from: now, for: max(0, left)), pace: pace, boot: boot)
            if let estimate = estimates[node], estimate.at > max(since ?? .distantPast, disconnectedAt),
                boot == nil || estimate.bootID == boot,
                case let bound = estimate.bound(at: now), bound <= Self.goodBound
            {
                idle(node, bound: bound, at: now)
            }
        }
    }

    /// Begins all polls again, on a new connection or after a suspend.
    mutating func restart() {
        unanswered = [:]
        beginAgain()
    }

    private mutating func beginAgain() {
        (polls, beganAt) = ([:], [:])
        planAgain()
    }

    /// Begins the poll of one node again, at most once in ``restartInterval``.
    mutating func restart(with node: NodeID) {
        // A burst that is under way measures the new connection as well, if the node answers.
        if polls[node]?.isInBurst == true, unanswered[node, default: 0] <= 1 { return }
        (polls[node], unanswered[node]) = (nil, nil)
        planAgain()
    }

    /// Begins the poll of a silent node again, because it has published something. A bridge between two brokers may
    /// have come back.
    mutating func noteHeard(_ node: NodeID) {
        if isSilent(node) { restart(with: node) }
    }

    /// Forgets the estimate of a node whose machine was suspended. In a suspend the kernel counts the boot clock on by
    /// the machine's battery clock, which has whole seconds on some machines.
    mutating func forget(_ node: NodeID) {
        estimates[node] = nil
        restart(with: node)
    }

    /// Forgets all estimates, because this machine was suspended.
    mutating func forgetAll() {
        estimates = [:]
        restart()
    }

    mutating func remove(_ node: NodeID) {
        noteGone(node)
        forget(node)
        beganAt[node] = nil
    }

    /// Returns the nodes to ask now, ordered by id, and plans their next pings.
    mutating func advancePolls(at now: BootTime) -> [NodeID] {
        let due = polls.filter { $0.value.wait.map { $0.end <= now } ?? false }.keys.sorted()
        for node in due {
            guard var poll = polls[node] else { continue }
            if poll.sent == 0 { beganAt[node] = now }  // rule: restartRate
            poll.sent += 1
            let bound = estimates[node]?.bound(at: now)
            let missing = unanswered[node, default: 0]
            unanswered[node] = missing + 1
            // Another node is asked instead of a silent one.
            if missing + 1 == Self.silentAfter { planAgain() }
            let pause = min(poll.interval.doubled(min(missing, 12)), Self.longestWait)
            poll.wait = Wait(from: now, for: pause)
            polls[node] = poll
            guard let bound, poll.sent >= Self.burst else { continue }
            let isDone = bound <= Self.goodBound || poll.sent >= Self.pingsLimit || poll.boot == nil
            if isDone { idle(node, bound: bound, at: now) }
        }
        return due
    }

    /// The vouched clocks of other nodes, ordered by id.
    func readings(of peers: Peers, at now: Instant) -> [GroupClock.Reading] {
        estimates.sorted { $0.key < $1.key }.compactMap { node, estimate in
            guard estimate.clock.isSynced else { return nil }
            // An answer after a long way proves little: if the own clock lies within its error, the own clock counts.
            let isOwn = (estimate.wallLead - now.wallLead).magnitude <= estimate.bound(at: now.boot)
            return GroupClock.Reading(
                node: node, lead: isOwn ? now.wallLead : estimate.wallLead,
                isPresent: estimate.isPresent && peers[node].isOnline)
        }
    }

    /// The largest error of the time of a session that is shown; `nil` if it is unknown.
    func errorBound(of held: HeldRegister) -> ErrorBound? {
        if held.isMeasured {
            guard let estimate = estimates[held.owner], estimate.bootID == held.anchor.bootID else { return nil }
            return ErrorBound(size: estimate.bound(of: held.offset, at: estimate.at), at: estimate.at)
        }
        // The bounds of the instants at which the anchor was written and placed hold whatever the wall clocks do later.
        guard let mine = held.positionError, let theirs = held.anchor.bound else { return nil }
        // A reading is rounded down to the millisecond.
        return ErrorBound(size: mine + theirs, at: held.anchorBoot - 1)
    }

    /// Stops the pings to a node. The owner is pinged again before drift can make the time of its session approximate.
    private mutating func idle(_ node: NodeID, bound: Milliseconds, at now: BootTime) {
        let spare = (Limits.exactEnough - bound).count * 1_000 * ClockEstimate.driftInterval
        let interval = min(
            max(spare, 2 * Self.shortestIdleInterval) - Self.shortestIdleInterval, Self.longestIdleInterval)
        guard let boot = polls[node]?.boot else { return polls[node] = Poll(wait: nil, sent: Self.pingsLimit) }
        polls[node] = Poll(wait: Wait(from: now, for: interval), sent: Self.pingsLimit, boot: boot)
    }
}
