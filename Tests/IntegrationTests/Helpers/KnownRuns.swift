// SPDX-License-Identifier: Apache-2.0

import Support

/// What is known of the sessions of a month from registers alone, and the minutes that follow from that: in the words of
/// the protocol, interval by interval, with nothing of the code that it is compared with.
struct KnownRuns {
    /// One session, as its largest version tells it.
    struct Session: Equatable {
        struct Run: Equatable {
            var counts: Bool
            var from: Int64
            /// `nil` while it runs.
            var to: Int64?
        }

        var id: String
        var lineage: String
        var version: [Int64]
        var stamp: (time: Int64, counter: Int64, node: String)
        var label: String
        var status: String
        var startedAt: Int64
        var continuedAt: Int64?
        var continuedFrom: String?
        var runs: [Run]
        /// One instant of its node, in group time and on the boot clock.
        var anchor: (at: Int64, boot: Int64)

        var isFinal: Bool { ["completed", "stopped", "superseded"].contains(status) }

        static func == (one: Session, other: Session) -> Bool {
            one.id == other.id && one.lineage == other.lineage && one.version == other.version
                && one.stamp == other.stamp && one.label == other.label && one.status == other.status
                && one.continuedAt == other.continuedAt && one.continuedFrom == other.continuedFrom
                && one.runs == other.runs
        }
    }

    private(set) var sessions: [String: Session] = [:]
    /// The session that each node's journal has told of last.
    private var own: [String: String] = [:]
    /// Sessions of which one version was told in two ways.
    private(set) var forks: Set<String> = []
    /// A session that ran for less than so many milliseconds, with all of its lineage, does not count.
    static let minimum: Int64 = 60_000

    /// Takes a node's own register, in the order of its journal. A start ends what lives on the same node, and of that end
    /// nothing is said but in the record.
    mutating func take(own register: JSON) {
        guard let session = Session(register) else { return }
        let before = own.updateValue(session.id, forKey: session.stamp.node)
        if let before, before != session.id, var ended = sessions[before], !ended.isFinal {
            ended.end(at: session.continuedAt ?? session.startedAt, noticed: session.anchor)
            ended.version = session.version
            sessions[before] = ended
        }
        take(register)
    }

    /// Takes a register from wherever.
    mutating func take(_ register: JSON) {
        guard let session = Session(register) else { return }
        if let known = sessions[session.id] {
            if known.version == session.version, known != session { forks.insert(session.id) }
            if !known.version.lexicographicallyPrecedes(session.version) { return }
        }
        sessions[session.id] = session
    }

    /// An interval in which nothing changes and something counts.
    struct Interval {
        var from: Int64
        var to: Int64
        /// The label of who owns it, of those that run the one with the largest stamp; `""` for the default label.
        var label: String
    }

    /// All that counts, in order.
    /// - Parameter isEndKept: Whether a session that ended by itself is cut by no takeover, as where the ledger knew its
    ///   end first. Registers alone do not tell which of the two records came first.
    func intervals(isEndKept: Bool) -> [Interval] {
        let lineages = Dictionary(grouping: sessions.values, by: \.lineage)
        let all = sessions.values.map { session in
            // Whatever its node still says, it ends where a later one of its lineage has taken it over.
            let later = lineages[session.lineage, default: []].filter {
                session.stamp < $0.stamp && $0.continuedFrom == session.stamp.node && !(isEndKept && session.isFinal)
            }
            let end = later.compactMap(\.continuedAt).min() ?? .max
            return (session: session, from: session.runs.map(\.from).min() ?? .max, end: end)
        }
        let times = Set(all.flatMap { one in one.session.runs.flatMap { [$0.from, $0.to ?? $0.from] } + [one.end] })
        var lengths: [String: Int64] = [:]
        let found = zip(times.sorted(), times.sorted().dropFirst()).map { from, to in
            let running = all.filter { $0.from <= from && from < $0.end && $0.session.runs(at: from) }.map(\.session)
            for lineage in Set(running.map(\.lineage)) { lengths[lineage, default: 0] += to - from }
            return (from: from, to: to, running: running)
        }
        return found.compactMap { from, to, running in
            let enough = running.filter { lengths[$0.lineage, default: 0] >= Self.minimum }
            return enough.max { $0.stamp < $1.stamp }.map { Interval(from: from, to: to, label: $0.label) }
        }
    }

    /// Milliseconds of a stretch of time, by label.
    static func minutes(_ intervals: [Interval], from: Int64, to: Int64) -> [String: Int64] {
        var sums: [String: Int64] = [:]
        for interval in intervals {
            let length = min(interval.to, to) - max(interval.from, from)
            if length > 0 { sums[interval.label, default: 0] += length }
        }
        return sums
    }
}

extension KnownRuns.Session {
    func runs(at instant: Int64) -> Bool {
        runs.contains { $0.counts && instant >= $0.from && instant < $0.to ?? $0.from }
    }

    /// - Parameter noticed: When its node ended it. The open run is as long as the boot clock says; what it then runs into
    ///   moves back.
    mutating func end(at instant: Int64, noticed: (at: Int64, boot: Int64)) {
        status = "superseded"
        guard let open = runs.last, open.to == nil else { return }
        var limit = noticed.at - (anchor.at - open.from + noticed.boot - anchor.boot)
        runs[runs.count - 1].from = limit
        runs[runs.count - 1].to = max(limit, instant)
        for index in runs.indices.dropLast().reversed() {
            guard let to = runs[index].to, to > limit else { return }
            runs[index].from -= to - limit
            runs[index].to = limit
            limit = runs[index].from
        }
    }
}

extension KnownRuns.Session {
    /// `nil` for what is no register.
    init?(_ register: JSON) {
        let (stamp, plan) = (register.stamp, register.plan.items)
        guard let id = register.id.text, let lineage = register.lineage.text, let epoch = register.epoch.int,
            let rev = register.rev.int, let at = register.anchor.at.int, let boot = register.anchor.boot.int,
            let status = register.status.text, let time = stamp[0].int,
            let counter = stamp[1].int, let node = stamp[2].text, let startedAt = register.startedAt.int
        else { return nil }
        let counted = plan.map { ["focus", "work", "phase"].contains($0.kind.text ?? "") }
        let runs = register.runs.items.map { run in
            Run(counts: counted[Int(run[0].int ?? 0)], from: run[1].int ?? 0, to: run[2].int)
        }
        self.init(
            id: id, lineage: lineage, version: [epoch, rev], stamp: (time, counter, node),
            label: register.label.name.text ?? "", status: status, startedAt: startedAt,
            continuedAt: register.continues.at.int, continuedFrom: register.continues.node.text, runs: runs,
            anchor: (at, boot))
    }
}

/// Weeks from Monday to Sunday in Berlin, by the rule of the European Union.
enum Berlin {
    private static let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)

    /// The Mondays from the one before an instant to the one after another, at midnight.
    static func mondays(around times: ClosedRange<Int64>) -> [Int64] {
        // The fifth of January 1970 was a Monday.
        let weeks = times.lowerBound / (7 * day) - 1...times.upperBound / (7 * day) + 1
        let all = weeks.map { week -> Int64 in
            let midnight = (week * 7 + 4) * day
            return midnight - (isSummer(at: midnight - 2 * hour) ? 2 : 1) * hour
        }
        let (first, last) = (all.lastIndex { $0 <= times.lowerBound }, all.firstIndex { $0 > times.upperBound })
        return Array(all[(first ?? 0)...(last ?? all.count - 1)])
    }

    /// When the clocks change next but a month after an instant: forward in March, or back in October.
    static func change(after instant: Int64, forward: Bool) -> Int64 {
        (1_970...).lazy.map { changes(in: $0)[forward ? 0 : 1] }.first { $0 > instant + 31 * day } ?? 0
    }

    private static func isSummer(at instant: Int64) -> Bool {
        (1_970...).lazy.map { changes(in: $0) }.first { $0[1] > instant }.map { instant >= $0[0] } ?? false
    }

    /// One o'clock universal time on the last Sundays of March and October.
    private static func changes(in year: Int64) -> [Int64] {
        // Days from 1970 to the last of March; leap days of the years before are in it, and that of this year.
        let leaps: Int64 = year / 4 - year / 100 + year / 400 - 477
        let march = (year - 1_970) * 365 + leaps + 89
        return [march, march + 214].map { last -> Int64 in (last - (last + 4) % 7) * day + hour }
    }
}
