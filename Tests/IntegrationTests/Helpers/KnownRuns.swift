// SPDX-License-Identifier: Apache-2.0

import Support

/// The sessions of a month as known from registers, and the minutes that follow from them.
///
/// It is an independent implementation of the protocol's rules, interval by interval.
struct KnownRuns {
    /// One session, from its largest version.
    struct Session: Equatable {
        struct Run: Equatable {
            var counts: Bool
            var from: Int64
            /// The end; `nil` while it runs.
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
        /// An instant in group time and on its node's boot clock.
        var anchor: (at: Int64, boot: Int64)
        /// The current phase and those after it: whether they count, and the milliseconds left at the anchor.
        var phases: [(counts: Bool, left: Int64)]
        var autoAdvance: Bool

        var isFinal: Bool { ["completed", "stopped", "superseded"].contains(status) }

        static func == (one: Session, other: Session) -> Bool {
            one.id == other.id && one.lineage == other.lineage && one.version == other.version
                && one.stamp == other.stamp && one.label == other.label && one.status == other.status
                && one.continuedAt == other.continuedAt && one.continuedFrom == other.continuedFrom
                && one.runs == other.runs
        }
    }

    private(set) var sessions: [String: Session] = [:]
    /// The latest session in each node's journal.
    private var own: [String: String] = [:]
    /// Sessions with two different registers of one version.
    private(set) var forks: Set<String> = []
    /// A lineage that ran for less than this, in milliseconds, does not count.
    static let minimum: Int64 = 60_000

    /// Adds a node's own register, in the order of its journal.
    ///
    /// A start ends the live session of the same node, which only the ledger record shows.
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

    /// Adds a register from any source.
    mutating func take(_ register: JSON) {
        guard let session = Session(register) else { return }
        if let known = sessions[session.id] {
            if known.version == session.version, known != session { forks.insert(session.id) }
            if !known.version.lexicographicallyPrecedes(session.version) { return }
        }
        sessions[session.id] = session
    }

    /// An interval of constant state that counts.
    struct Interval {
        var from: Int64
        var to: Int64
        /// The label of the running session with the largest stamp; `""` for the default label.
        var label: String
    }

    /// The intervals that count, in order.
    /// - Parameter isEndKept: Whether takeovers do not cut a session that ended by itself, as if the ledger knew its end
    ///   first. Registers alone do not show which record came first.
    func intervals(isEndKept: Bool) -> [Interval] {
        let lineages = Dictionary(grouping: sessions.values, by: \.lineage)
        let all = sessions.values.map { session in
            // It ends at the takeover by a later session of its lineage, whatever its node still publishes.
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

    /// The milliseconds between two instants, by label.
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

    /// The most milliseconds after the end of a phase at which the next one still starts by itself.
    private static let lateness: Int64 = 30 * 60_000

    /// Ends the session by a start on the same node, unless it had ended by itself before.
    ///
    /// The boot clock gives the length of the open run; runs that would overlap it move back.
    /// - Parameter noticed: The instant at which its node ended it.
    mutating func end(at instant: Int64, noticed: (at: Int64, boot: Int64)) {
        status = "superseded"
        guard let open = runs.last, open.to == nil else { return }
        var limit = noticed.at - (anchor.at - open.from + noticed.boot - anchor.boot)
        // When the current phase ends by itself, in the group time of the start.
        var boundary = noticed.at - (noticed.boot - anchor.boot) + phases[0].left
        runs[runs.count - 1].from = limit
        runs[runs.count - 1].to = max(limit, min(instant, boundary))
        defer {
            for phase in phases.dropFirst() where autoAdvance {
                guard boundary < instant, noticed.at - boundary <= Self.lateness else { break }
                runs.append(Run(counts: phase.counts, from: boundary, to: min(instant, boundary + phase.left)))
                boundary += phase.left
            }
        }
        for index in runs.indices.dropLast().reversed() {
            guard let to = runs[index].to, to > limit else { return }
            runs[index].from -= to - limit
            runs[index].to = limit
            limit = runs[index].from
        }
    }
}

extension KnownRuns.Session {
    /// Reads a register; `nil` if it is malformed.
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
            anchor: (at, boot),
            phases: zip(counted, plan).dropFirst(Int(register.phase.int ?? 0)).enumerated().map { index, phase in
                (phase.0, 1_000 * (phase.1.seconds.int ?? 0) - (index == 0 ? register.anchor.elapsed.int ?? 0 : 0))
            },
            autoAdvance: register.autoAdvance == true)
    }
}

/// Weeks from Monday to Sunday in Berlin, by the rule of the European Union.
enum Berlin {
    private static let (hour, day): (Int64, Int64) = (3_600_000, 86_400_000)

    /// The Mondays around a range of time, at midnight.
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

    /// The next change of the clocks, at least a month after an instant.
    static func change(after instant: Int64, forward: Bool) -> Int64 {
        (1_970...).lazy.map { changes(in: $0)[forward ? 0 : 1] }.first { $0 > instant + 31 * day } ?? 0
    }

    private static func isSummer(at instant: Int64) -> Bool {
        (1_970...).lazy.map { changes(in: $0) }.first { $0[1] > instant }.map { instant >= $0[0] } ?? false
    }

    /// The changes at 01:00 UTC on the last Sundays of March and October.
    private static func changes(in year: Int64) -> [Int64] {
        // Days from 1970 to the last day of March, leap days included.
        let leaps: Int64 = year / 4 - year / 100 + year / 400 - 477
        let march = (year - 1_970) * 365 + leaps + 89
        return [march, march + 214].map { last -> Int64 in (last - (last + 4) % 7) * day + hour }
    }
}
