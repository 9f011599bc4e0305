// SPDX-License-Identifier: Apache-2.0

/// The clocks that group time is taken from.
///
/// A kernel that calls its clock synchronised vouches for it: it is taken to be right within ``GroupClock/agreement``,
/// unless three others contradict it.
enum TimeSource: Hashable, Sendable {
    /// The own wall clock, for which the kernel vouches.
    case own
    /// Three or more clocks of others that agree, are vouched for, and contradict the own one, which is vouched for too.
    case outvoted
    /// The clocks of others that are vouched for, of which a majority agrees. The own one is not vouched for.
    case vouched
    /// The same, but not all nodes were asked yet, or no majority agrees.
    case contested
    /// All plausible clocks: nobody vouches for one.
    case plausible
    /// The latest mark, going on with the boot clock: no clock tells a plausible time.
    case mark

    /// Whether what is dated by it is final.
    var isVouched: Bool {
        switch self {
        case .own, .outvoted, .vouched: true
        case .contested, .plausible, .mark: false
        }
    }
}

/// Chooses where a node takes group time from, and tells it.
struct GroupClock: Hashable, Sendable {
    private(set) var source = TimeSource.mark
    /// Group time beyond the boot clock, unless the source is the own clock.
    private var lead: Int64 = 0
    /// The own wall clock beyond the boot clock when it was last looked at.
    private(set) var wallLead: Int64 = 0

    /// Clocks agree within this many milliseconds; beyond it they contradict each other.
    static let agreement = Limits.stampLead
    /// An own clock that nobody vouches for is kept when it is within this many milliseconds of the median.
    static let tolerance: Int64 = 2_000
    /// A median that moves by fewer milliseconds is not followed: comparisons of clocks waver.
    private static let wavering: Int64 = 50
    /// Others that must agree to outvote a clock that is vouched for.
    private static let outvoting = 3

    /// What another node's clock says, as a lead over this node's boot clock.
    struct Reading: Hashable, Sendable {
        var node: NodeID
        /// Of its wall clock.
        var lead: Int64
        /// Of its group time.
        var groupLead: Int64
        /// Whether its kernel vouches for its wall clock.
        var isVouched: Bool
        /// Whether the node is there and was asked since it came.
        var isPresent: Bool
    }

    init() {}

    /// A clock that knows only the mark of its journal.
    init(mark: HybridClock, at now: Instant) {
        wallLead = now.wallLead
        lead = max(mark.time, Limits.earliestStamp) - now.boot
        guard GroupClock.isPlausible(now.wall) else { return }
        source = GroupClock.isVouched(now) ? .own : .plausible
        lead = wallLead
    }

    /// Whether the own wall clock may have been set since it was last looked at.
    func hasMoved(at now: Instant) -> Bool {
        abs(now.wallLead - wallLead) > GroupClock.tolerance / 2
            || GroupClock.isVouched(now) != (source == .own || source == .outvoted)
    }

    /// Group time while the own wall clock reads what it read when it was last looked at.
    func time(at boot: Int64) -> Int64 { boot + (source == .own ? wallLead : lead) }

    func time(at now: Instant) -> Int64 { source == .own ? now.wall : now.boot + lead }

    /// Whether so late or early a time can be the present one.
    static func isPlausible(_ time: Int64) -> Bool {
        (Limits.earliestStamp...Limits.earliestStamp + Limits.plausibleMilliseconds).contains(time)
    }

    /// Whether the kernel vouches for the own wall clock.
    static func isVouched(_ now: Instant) -> Bool { now.wallBound != nil && isPlausible(now.wall) }

    /// Chooses the source of group time.
    /// - Parameters:
    ///   - others: One reading of each node whose clock is known.
    ///   - isComplete: Whether all nodes that are to be asked were asked.
    mutating func choose(
        from others: [Reading], own node: NodeID, isComplete: Bool, rules: Rules = .all, at now: Instant
    ) {
        let before = source == .own ? wallLead : lead
        wallLead = now.wallLead
        guard rules.contains(.groupTime) else { return source = .own }
        let known = others.filter { GroupClock.isPlausible(now.boot + $0.lead) }.sorted { $0.node < $1.node }
        let vouched = known.filter(\.isVouched)
        let present = vouched.filter { $0.isPresent || !rules.contains(.presentVoices) }
        // Everybody asks the same few, so that everybody comes to the same.
        let leads = (present.isEmpty ? vouched : present).prefix(Limits.council).map(\.lead).sorted()
        if GroupClock.isVouched(now) {
            chooseVouched(against: present.isEmpty ? [] : leads, rules: rules)
        } else if !leads.isEmpty {
            // Of two the one nearer to the own clock; where that is of no use, the earlier: a stamp of the past is admitted.
            let (low, high) = (leads[(leads.count - 1) / 2], leads[leads.count / 2])
            let isHigh = GroupClock.isPlausible(now.wall) && abs(high - wallLead) < abs(low - wallLead)
            let isSettled = isComplete || source == .vouched
            let isMajority = GroupClock.agreeing(leads).count * 2 > leads.count
            follow(isHigh ? high : low, as: isSettled && isMajority ? .vouched : .contested)
        } else {
            guess(from: known, own: node, latest: others.map(\.groupLead), before: before, at: now)
        }
    }

    /// - Parameter leads: Those of the others that are there and vouched for, the smallest first.
    private mutating func chooseVouched(against leads: [Int64], rules: Rules) {
        let agreeing = GroupClock.agreeing(leads)
        let isMajority = agreeing.count >= Self.outvoting && agreeing.count * 2 > leads.count + 1
        guard isMajority || !rules.contains(.ownClock), rules.contains(.outvoting), !leads.isEmpty,
            case let middle = agreeing[agreeing.startIndex + agreeing.count / 2],
            abs(middle - wallLead) > Self.agreement
        else { return source = .own }
        follow(middle, as: .outvoted)
    }

    /// Goes by the median of all plausible clocks, else by the latest mark.
    private mutating func guess(
        from known: [Reading], own node: NodeID, latest: [Int64], before: Int64, at now: Instant
    ) {
        let isPlausible = GroupClock.isPlausible(now.wall)
        let all = known.map { ($0.node, $0.lead) } + (isPlausible ? [(node, wallLead)] : [])
        let leads = all.sorted { $0.0 < $1.0 }.prefix(Limits.council).map(\.1).sorted()
        guard !leads.isEmpty else {
            source = .mark
            let latest = latest.filter { GroupClock.isPlausible(now.boot + $0) }.max() ?? before
            return lead = latest > before + Self.tolerance ? latest : before
        }
        // Of two the later: a clock without a battery stands still while it is off.
        let middle = leads[leads.count / 2]
        guard isPlausible, abs(wallLead - middle) <= Self.tolerance else { return follow(middle, as: .plausible) }
        source = .plausible
        lead = wallLead
    }

    private mutating func follow(_ middle: Int64, as source: TimeSource) {
        if self.source == .own || self.source == .mark || abs(lead - middle) > Self.wavering { lead = middle }
        self.source = source
    }

    /// The most that agree among themselves.
    /// - Parameter leads: The smallest first.
    private static func agreeing(_ leads: [Int64]) -> ArraySlice<Int64> {
        var most = leads[..<0]
        for first in leads.indices {
            let end = leads[first...].firstIndex { $0 - leads[first] > agreement } ?? leads.endIndex
            if end - first > most.count { most = leads[first..<end] }
        }
        return most
    }
}
