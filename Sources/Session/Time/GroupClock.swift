// SPDX-License-Identifier: Apache-2.0

/// Where a node takes group time from.
struct GroupClock: Hashable, Sendable {
    /// What is added to the boot clock; `nil` while the own wall clock is followed.
    private(set) var lead: Int64?
    /// What the own wall clock read beyond the boot clock when it was last looked at.
    private(set) var wallLead: Int64 = 0
    private(set) var isSynced = false
    /// Whether no clock that was ever looked at told a plausible time, so that group time is what the journals know.
    private(set) var isGuess = true
    /// Whether a kernel vouches for the clock that was chosen.
    private(set) var isVouched = false
    /// Whether no two kernels vouch for it, whosever they are.
    private(set) var isLone = true
    /// Whether another kernel than the own vouches for it, and none for a clock that cannot be right then.
    private(set) var isAgreed = false
    /// Group time by the journal: later than every stamp that was ever seen, and going on with the boot clock.
    private var floorLead: Int64 = 0
    /// Since when somebody has another time, so that even a synchronised clock has to be compared, on the boot clock.
    private(set) var doubtedAt: Int64?
    private var doubtNotBefore: Int64 = .min
    private var isDoubtPending = false

    /// A clock that was synchronised, or agrees with the others to so many milliseconds, is left alone.
    static let tolerance: Int64 = 2_000

    /// Clocks are compared all over again at most every so many milliseconds.
    private static let doubtRest: Int64 = 5_000

    /// What one clock says, as a lead over this node's boot clock.
    struct Reading: Hashable, Sendable {
        var node: NodeID
        var lead: Int64
        /// The group time that this node has, as a lead too.
        var groupLead: Int64
        var isSynced: Bool
    }

    init() {}

    /// It is later than every stamp that the journal knows of.
    mutating func raise(to mark: HybridClock, at now: Instant) {
        floorLead = max(mark.time, Limits.earliestStamp) - now.boot
    }

    /// - Returns: Whether the doubt is a new one.
    mutating func doubt(at boot: Int64) -> Bool {
        isDoubtPending = boot < doubtNotBefore
        guard !isDoubtPending else { return false }
        doubtedAt = boot
        doubtNotBefore = boot + Self.doubtRest
        return true
    }

    /// When a doubt that came too soon after another is due, on the boot clock.
    var nextWake: Int64? { isDoubtPending ? doubtNotBefore : nil }

    mutating func settleDoubt() { doubtedAt = nil }

    /// Whether group time goes on from what the journals know.
    var isFromJournal: Bool { isGuess && !followsWall }

    /// Whether group time is what the own wall clock says.
    var followsWall: Bool { lead == nil }

    /// Follows the own wall clock whatever it says.
    mutating func followWall(at now: Instant) {
        wallLead = now.wallLead
        isSynced = now.wallBound != nil
        isGuess = false
        isVouched = isSynced
        isAgreed = isSynced
        lead = nil
    }

    /// A clock that knows only the mark of its journal.
    init(mark: HybridClock, at now: Instant) {
        raise(to: mark, at: now)
        wallLead = now.wallLead
        isSynced = now.wallBound != nil
        if !GroupClock.isPlausible(now.wall) { lead = floorLead }
    }

    /// Whether the own wall clock may have been set since it was last looked at.
    func hasMoved(at now: Instant) -> Bool {
        abs(now.wallLead - wallLead) > GroupClock.tolerance / 2 || (now.wallBound != nil) != isSynced
    }

    /// Group time while the own wall clock reads what it read when it was last looked at.
    func time(at boot: Int64) -> Int64 { boot + (lead ?? wallLead) }

    func time(at now: Instant) -> Int64 { lead.map { now.boot + $0 } ?? now.wall }

    /// Whether so late or early a time can be the present one.
    static func isPlausible(_ time: Int64) -> Bool {
        (Limits.earliestStamp...Limits.earliestStamp + Limits.plausibleYears).contains(time)
    }

    /// Chooses anew: the middle one of the synchronised clocks, where there are any, else of the plausible ones, else
    /// the latest of what the journals know. A right clock of one's own stays in use.
    mutating func choose(from others: [Reading], own node: NodeID, council: Int, at now: Instant) {
        wallLead = now.wallLead
        isSynced = now.wallBound != nil
        let own = Reading(node: node, lead: wallLead, groupLead: floorLead, isSynced: isSynced)
        let all = (others + [own]).filter { GroupClock.isPlausible(now.boot + $0.lead) }
        let synced = all.filter(\.isSynced)
        isVouched = !synced.isEmpty
        let leads = synced.map(\.lead)
        isAgreed = synced.contains { $0.node != node } && (leads.max() ?? 0) - (leads.min() ?? 0) <= Limits.stampLead
        // Everybody asks the same few, so that everybody comes to the same.
        let voters = (synced.isEmpty ? all : synced).sorted { $0.node < $1.node }.prefix(council)
        guard !voters.isEmpty else {
            let latest = others.map(\.groupLead).filter { GroupClock.isPlausible(now.boot + $0) }.max() ?? floorLead
            let floor = max(lead ?? floorLead, floorLead)
            lead = latest > floor + GroupClock.tolerance ? latest : floor
            return
        }
        defer { isGuess = false }
        // Of two the later one: a clock without a battery stands still while it is off.
        let middle = voters.map(\.lead).sorted()[voters.count / 2]
        isLone = synced.count { abs($0.lead - middle) <= Limits.stampLead } < 2
        if isPlausibleVoter(own, synced: !synced.isEmpty, at: now), abs(wallLead - middle) <= GroupClock.tolerance {
            lead = nil
        } else if isGuess || lead.map({ abs($0 - middle) > 50 }) ?? true {
            lead = middle
        }
    }

    private func isPlausibleVoter(_ own: Reading, synced: Bool, at now: Instant) -> Bool {
        GroupClock.isPlausible(now.wall) && (own.isSynced || !synced)
    }
}
