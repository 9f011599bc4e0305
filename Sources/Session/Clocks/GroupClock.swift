// SPDX-License-Identifier: Apache-2.0

/// The clock that group time is taken from. A kernel that calls its clock synchronised vouches for it: the clock is
/// taken to be right within ``GroupClock/agreement``.
enum TimeSource: Hashable, Sendable {
    /// The own wall clock, for which the kernel vouches.
    case own
    /// The vouched clocks of others, since the kernel does not vouch for the own one.
    case others
    /// The own wall clock, which is plausible, since no vouched one is known.
    case plausible
    /// No clock, since no vouched one is known and the own one is implausible. Group time is the latest of the mark,
    /// continued with the boot clock, and the plausible times that others state.
    case mark

    /// Whether group time comes from a vouched clock, so that a stamp far ahead of it is wrong.
    var isVouched: Bool { self == .own || self == .others }
}

/// Group time, and the choice of its source.
struct GroupClock: Hashable, Sendable {
    private(set) var source = TimeSource.mark
    /// The node whose clock is followed; `nil` for the own clock and for the mark.
    private(set) var origin: NodeID?
    /// Whether every vouched clock that is to be asked has answered or counts as silent. The value stays without a
    /// connection.
    var areClocksKnown = false
    /// Whether the stamps of others were last judged without a vouched time, so that all plausible ones count.
    var admitsAll = false
    /// The lead of group time, unless the source is the own clock.
    private var lead = Lead(0)
    /// The own wall clock minus the boot clock at the latest choice.
    private(set) var wallLead = Lead(0)

    /// Clocks agree within this time; beyond it they contradict each other.
    static let agreement = Limits.stampLead
    /// A larger change of group time moves dates and judges stamps again. The protocol states it. It is the precision
    /// of a clock that a person sets by hand. A smaller one moves dates for less than that; a larger one leaves errors
    /// that people see.
    static let tolerance: Milliseconds = .seconds(2)
    /// A clock is followed when it moves by more than this. Comparisons of clocks vary with the delay of a network, and
    /// two readings of one machine by a millisecond. A smaller limit follows these variations; a larger one leaves
    /// group time that much wrong.
    private static let wavering: Milliseconds = 50

    /// The vouched clock of another node.
    struct Reading: Hashable, Sendable {
        var node: NodeID
        /// The lead of its wall clock over this node's boot clock.
        var lead: Lead
        /// Whether the node is online and has answered since it came online.
        var isPresent: Bool
    }

    init() {}

    /// A clock that has only the mark of its journal and the own wall clock.
    init(mark: HybridClock, at now: Instant) {
        wallLead = now.wallLead
        let latest = Limits.earliestStamp + Limits.plausibleSpan
        lead = Lead(of: min(max(mark.time, Limits.earliestStamp), latest), over: now.boot)
        guard GroupClock.isPlausible(now.told) else { return }
        source = GroupClock.isVouched(now) ? .own : .plausible
        lead = wallLead
    }

    /// Whether the own wall clock may have been set since the latest choice.
    func hasMoved(at now: Instant) -> Bool {
        (now.wallLead - wallLead).magnitude > GroupClock.tolerance / 2 || GroupClock.isVouched(now) != (source == .own)
    }

    /// Group time if the own wall clock was not set since the latest choice.
    func timeBeforeStep(atBoot boot: BootTime) -> GroupTime { boot + (source == .own ? wallLead : lead) }
    func time(at now: Instant) -> GroupTime { source == .own ? now.told : now.boot + lead }

    static func contradict(_ one: GroupTime, _ other: GroupTime) -> Bool { (one - other).magnitude > agreement }

    /// Whether a clock can show a time now.
    static func isPlausible(_ time: GroupTime) -> Bool {
        (Limits.earliestStamp...Limits.earliestStamp + Limits.plausibleSpan).contains(time)
    }

    static func isVouched(_ now: Instant) -> Bool { now.wallBound != nil && isPlausible(now.told) }

    /// Chooses the source of group time, and its lead.
    /// - Parameter claims: The leads of the group times that other nodes have stated.
    mutating func choose(
        from others: [Reading], claims: some Sequence<Lead> = [], at now: Instant
    ) {
        let before = source == .own ? wallLead : lead
        (wallLead, origin) = (now.wallLead, nil)
        // rule: groupTime, else: return source = .own
        let known = others.filter { GroupClock.isPlausible(now.boot + $0.lead) }
        let present = known.filter(\.isPresent)  // rule: onlineVotes, else: known
        let voices = present.isEmpty ? known : present
        // rule: ownClock, else: if !voices.isEmpty { return follow(voices, at: now) }
        if GroupClock.isVouched(now) {
            source = .own
        } else if !voices.isEmpty {
            follow(voices, at: now)
        } else if GroupClock.isPlausible(now.told) {
            follow(wallLead, as: .plausible)
        } else {
            source = .mark
            let latest = claims.filter { GroupClock.isPlausible(now.boot + $0) }.max() ?? before
            lead = latest > before + Self.tolerance ? latest : before
        }
    }

    /// Follows the median of vouched clocks. Of two in the middle it takes the one nearer to the own clock. If the own
    /// clock is implausible, it takes the earlier one, since a stamp of the past is admitted.
    private mutating func follow(_ voices: [Reading], at now: Instant) {
        let leads = voices.map(\.lead).sorted()
        let (low, high) = (leads[(leads.count - 1) / 2], leads[leads.count / 2])
        let isHigh = GroupClock.isPlausible(now.told) && (high - wallLead).magnitude < (low - wallLead).magnitude
        let middle = isHigh ? high : low
        origin = voices.first { $0.lead == middle }?.node
        follow(middle, as: .others)
    }

    private mutating func follow(_ clock: Lead, as source: TimeSource) {
        if self.source != source || (lead - clock).magnitude > Self.wavering { lead = clock }
        self.source = source
    }
}

extension GroupTime {
    /// The group time that a wall clock tells while it is right.
    package init(told wall: WallTime) { self.init(wall.milliseconds) }
}

extension Instant {
    /// The group time that the own wall clock tells while it is right.
    package var told: GroupTime { GroupTime(told: wall) }

    var wallLead: Lead { Lead(of: told, over: boot) }
}
