// SPDX-License-Identifier: Apache-2.0

/// The clocks that group time is taken from.
///
/// A kernel that calls its clock synchronised vouches for it: the clock is taken to be right within
/// ``GroupClock/agreement``, unless three others contradict it.
enum TimeSource: Hashable, Sendable {
    /// The own wall clock, for which the kernel vouches.
    case own
    /// Three or more vouched clocks of others that agree and contradict the own one, which is vouched for too.
    case outvoted
    /// The vouched clocks of others, of which a majority agrees. The own one is not vouched for.
    case vouched
    /// The vouched clocks of others, of which no majority agrees, or of which not all were asked yet.
    case contested
    /// All plausible clocks, since no kernel vouches for one.
    case plausible
    /// The latest mark, continued with the boot clock, since no clock is plausible.
    case mark

    /// Whether dates from it are final.
    var isVouched: Bool {
        switch self {
        case .own, .outvoted, .vouched: true
        case .contested, .plausible, .mark: false
        }
    }
}

/// Group time, and the choice of its source.
struct GroupClock: Hashable, Sendable {
    private(set) var source = TimeSource.mark
    /// The node whose clock is followed; `nil` for the own clock and for the mark.
    private(set) var origin: NodeID?
    /// Group time minus the boot clock, unless the source is the own clock.
    private var lead: Int64 = 0
    /// The own wall clock minus the boot clock at the latest choice.
    private(set) var wallLead: Int64 = 0

    /// Clocks agree within this many milliseconds; beyond it they contradict each other.
    static let agreement = Limits.stampLead
    /// An own clock that is not vouched for is kept within this many milliseconds of the median.
    ///
    /// A judgement, stated by the protocol: the precision of a clock that a person sets by hand.
    static let tolerance: Int64 = 2_000
    /// The median is followed when it moves by more milliseconds than this. A judgement: comparisons of clocks waver by the
    /// delay of a network.
    private static let wavering: Int64 = 50
    /// Others that must agree to outvote a vouched clock. A judgement, stated by the protocol and `Trust.md`: one lying
    /// member needs two accomplices.
    private static let outvoting = 3

    /// The clocks of another node, as leads over this node's boot clock.
    struct Reading: Hashable, Sendable {
        var node: NodeID
        /// The lead of its wall clock, in milliseconds.
        var lead: Int64
        /// The lead of its group time, in milliseconds.
        var groupLead: Int64
        /// Whether its kernel vouches for its wall clock.
        var isVouched: Bool
        /// Whether the node is online and has answered since it came online.
        var isPresent: Bool
    }

    init() {}

    /// A clock that has only the mark of its journal and the own wall clock.
    init(mark: HybridClock, at now: Instant) {
        wallLead = now.wallLead
        lead = max(mark.time, Limits.earliestStamp) - now.boot
        guard GroupClock.isPlausible(now.wall) else { return }
        source = GroupClock.isVouched(now) ? .own : .plausible
        lead = wallLead
    }

    /// Whether the own wall clock may have been set since the latest choice.
    func hasMoved(at now: Instant) -> Bool {
        abs(now.wallLead - wallLead) > GroupClock.tolerance / 2
            || GroupClock.isVouched(now) != (source == .own || source == .outvoted)
    }

    /// Group time if the own wall clock was not set since the latest choice.
    func timeBeforeStep(atBoot boot: Int64) -> Int64 { boot + (source == .own ? wallLead : lead) }

    func time(at now: Instant) -> Int64 { source == .own ? now.wall : now.boot + lead }

    /// Whether two readings of one instant contradict each other.
    static func contradict(_ one: Int64, _ other: Int64) -> Bool { abs(one - other) > agreement }

    /// Whether a clock can show a time now.
    static func isPlausible(_ time: Int64) -> Bool {
        (Limits.earliestStamp...Limits.earliestStamp + Limits.plausibleMilliseconds).contains(time)
    }

    /// Whether the kernel vouches for the own wall clock.
    static func isVouched(_ now: Instant) -> Bool { now.wallBound != nil && isPlausible(now.wall) }

    /// Chooses the source of group time.
    /// - Parameters:
    ///   - others: One reading of each node whose clock is known.
    ///   - isComplete: Whether all nodes that are to be asked have answered.
    mutating func choose(
        from others: [Reading], own node: NodeID, isComplete: Bool, at now: Instant
    ) {
        let before = source == .own ? wallLead : lead
        (wallLead, origin) = (now.wallLead, nil)
        // rule: groupTime, else: return source = .own
        let known = others.filter { GroupClock.isPlausible(now.boot + $0.lead) }.sorted { $0.node < $1.node }
        let vouched = known.filter(\.isVouched)
        let present = vouched.filter(\.isPresent)  // rule: onlineVotes, else: vouched
        // All nodes use the same few, so that all choose the same time.
        let leads = (present.isEmpty ? vouched : present).prefix(Limits.timeReferences).map(\.lead).sorted()
        if GroupClock.isVouched(now) {
            chooseVouched(against: present.isEmpty ? [] : leads, of: vouched)
        } else if !leads.isEmpty {
            // Of two, the one nearer to the own clock; if that is implausible, the earlier one, since a stamp of the past
            // is admitted.
            let (low, high) = (leads[(leads.count - 1) / 2], leads[leads.count / 2])
            let isHigh = GroupClock.isPlausible(now.wall) && abs(high - wallLead) < abs(low - wallLead)
            let isSettled = isComplete || source == .vouched
            let isMajority = GroupClock.agreeing(leads).count * 2 > leads.count
            follow(isHigh ? high : low, of: vouched, as: isSettled && isMajority ? .vouched : .contested)
        } else {
            guess(from: known, own: node, latest: others.map(\.groupLead), before: before, at: now)
        }
    }

    /// Chooses between the own clock, which is vouched for, and those of others.
    /// - Parameter leads: The vouched clocks of online nodes, the smallest first.
    private mutating func chooseVouched(against leads: [Int64], of known: [Reading]) {
        // A clock that agrees with the own one does not help to outvote it.
        let agreeing = GroupClock.agreeing(leads.filter { GroupClock.contradict($0, wallLead) })
        let isMajority = agreeing.count >= Self.outvoting && agreeing.count * 2 > leads.count + 1
        // rule: outvoting, else: return source = .own
        guard
            isMajority,  // rule: ownClock
            !agreeing.isEmpty
        else { return source = .own }
        follow(agreeing[agreeing.startIndex + agreeing.count / 2], of: known, as: .outvoted)
    }

    /// Uses the median of all plausible clocks, or else the latest mark.
    private mutating func guess(
        from known: [Reading], own node: NodeID, latest: [Int64], before: Int64, at now: Instant
    ) {
        let isPlausible = GroupClock.isPlausible(now.wall)
        let all = known.map { ($0.node, $0.lead) } + (isPlausible ? [(node, wallLead)] : [])
        let leads = all.sorted { $0.0 < $1.0 }.prefix(Limits.timeReferences).map(\.1).sorted()
        guard !leads.isEmpty else {
            source = .mark
            let latest = latest.filter { GroupClock.isPlausible(now.boot + $0) }.max() ?? before
            return lead = latest > before + Self.tolerance ? latest : before
        }
        // Of two, the later one: a clock without a battery stands still while it is off.
        let middle = leads[leads.count / 2]
        guard isPlausible, abs(wallLead - middle) <= Self.tolerance else {
            return follow(middle, of: known, as: .plausible)
        }
        source = .plausible
        lead = wallLead
    }

    private mutating func follow(_ middle: Int64, of known: [Reading], as source: TimeSource) {
        origin = known.first { $0.lead == middle }?.node
        if self.source == .own || self.source == .mark || abs(lead - middle) > Self.wavering { lead = middle }
        self.source = source
    }

    /// The largest group of clocks that agree among themselves.
    /// - Parameter leads: The smallest first.
    private static func agreeing(_ leads: [Int64]) -> ArraySlice<Int64> {
        var most = leads[..<0]
        for first in leads.indices {
            let end = leads[first...].firstIndex { contradict($0, leads[first]) } ?? leads.endIndex
            if end - first > most.count { most = leads[first..<end] }
        }
        return most
    }
}
