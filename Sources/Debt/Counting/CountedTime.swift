// SPDX-License-Identifier: Apache-2.0

import Ledger
package import Session

/// An interval that counts, and the session that it belongs to.
package struct CountedInterval: Hashable, Sendable {
    package var from: GroupTime
    package var to: GroupTime
    /// The index of the owning entry: of those that ran, the one with the largest stamp.
    package var entry: Int

    package var length: Milliseconds { to - from }
}

/// An entry whose counted time is still running.
package struct OngoingEntry: Hashable, Sendable {
    package var entry: Int
    /// The planned end of the time.
    package var until: GroupTime
}

/// The counted time of a set of sessions. It is the union of all runs that count, so every instant counts once.
///
/// A session's runs end where a later session took it over (``LineagePart``), also against its own record: its node may
/// not have received the takeover. A session that was final in the ledger before the takeover arrived is not cut, so
/// that a takeover cannot change the past. A correction by a person is not cut.
package struct CountedTime: Hashable, Sendable {
    /// The intervals that count, in order and without overlaps.
    package private(set) var pieces: [CountedInterval] = []
    package private(set) var ongoing: OngoingEntry?

    /// A part of a run.
    private struct Interval {
        var from: GroupTime
        var to: GroupTime
        var entry: Int
        var isInherited = false
    }

    /// - Parameters:
    ///   - entries: The sessions, with all others of their lineages, in any order.
    ///   - now: The present: an open run counts up to here, or to its own end.
    ///   - isInheritedByFirst: Whether time before a takeover belongs to the session that was taken over, if the ledger
    ///     has it. The total is the same.
    package init(
        of entries: [Entry], counting: Counting = Counting(), now: GroupTime, isInheritedByFirst: Bool = false
    ) {
        let cuts = Self.cuts(of: entries)
        var intervals: [Interval] = []
        var open: [(entry: Int, until: GroupTime)] = []
        var lineages: [SessionID: [Interval]] = [:]
        var openLineages: Set<SessionID> = []
        for (index, entry) in entries.enumerated() where counting.includes(entry.record.label) {
            let record = entry.record
            let cut = entry.correction == nil ? cuts[index] : .distantFuture
            // The part of each run that counts, up to now.
            for run in record.runs where counting.kinds.contains(run.kind) {
                let from = run.from
                let end = min(entry.end(of: run) ?? now, cut)
                let to = run.to == nil ? min(end, now) : end
                if run.to == nil, from <= now, end > now {
                    open.append((index, end))
                    openLineages.insert(record.lineage)
                }
                guard to > from else { continue }
                // A takeover's record repeats the time before it, which is inherited from the session taken over.
                let own = isInheritedByFirst && entry.correction == nil ? record.continuedAt ?? from : from
                let middle = min(max(own, from), to)
                if middle > from {
                    lineages[record.lineage, default: []].append(
                        Interval(from: from, to: middle, entry: index, isInherited: true))
                }
                if to > middle {
                    lineages[record.lineage, default: []].append(Interval(from: middle, to: to, entry: index))
                }
            }
        }
        // The minimum is for a whole lineage, and not for one that is still running.
        for (lineage, found) in lineages
        where counting.minimum == 0 || openLineages.contains(lineage) || Self.length(of: found) >= counting.minimum {
            intervals += found
        }
        let ranks = Self.ranks(of: entries)
        pieces = Self.pieces(of: intervals, ranks: ranks)
        ongoing = open.max { ranks[$0.entry] < ranks[$1.entry] }.map { last in
            OngoingEntry(entry: last.entry, until: open.map(\.until).max() ?? last.until)
        }
    }

    /// The sum of all pieces.
    package var total: Milliseconds { pieces.reduce(0) { $0 + $1.length } }

    /// Returns when a takeover ended the runs of each entry; ``Time/distantFuture`` without one.
    static func cuts(of entries: [Entry]) -> [GroupTime] { FiledPart.ends(of: entries.map(\.filedPart)) }

    /// Returns the rank of each entry by stamp, the smallest first; ties go by session id.
    private static func ranks(of entries: [Entry]) -> [Int] {
        let order = entries.indices.sorted { one, other in
            let (one, other) = (entries[one].record, entries[other].record)
            return one.stamp == other.stamp ? one.id < other.id : one.stamp < other.stamp
        }
        var ranks = [Int](repeating: 0, count: entries.count)
        for (rank, index) in order.enumerated() { ranks[index] = rank }
        return ranks
    }

    private static func length(of intervals: [Interval]) -> Milliseconds {
        var (sum, end) = (Milliseconds(0), GroupTime.distantPast)
        for interval in intervals.sorted(by: { $0.from < $1.from }) where interval.to > end {
            sum += interval.to - max(interval.from, end)
            end = interval.to
        }
        return sum
    }

    /// Gives each instant to the running entry of the highest rank. Inherited time ranks below all other.
    private static func pieces(of intervals: [Interval], ranks: [Int]) -> [CountedInterval] {
        let times = Set(intervals.flatMap { [$0.from, $0.to] }).sorted()
        let indices = Dictionary(uniqueKeysWithValues: zip(times, times.indices))
        func rank(_ interval: Interval) -> Int {
            ranks[interval.entry] + (interval.isInherited ? 0 : ranks.count)
        }
        // The owner of the time from each instant to the next one.
        var owners = [Int?](repeating: nil, count: times.count)
        // Where the search for the next instant without an owner goes on; an instant that has none leads to itself.
        var next = Array(0...times.count)
        for interval in intervals.sorted(by: { rank($0) > rank($1) }) {
            guard var index = indices[interval.from], let end = indices[interval.to] else { continue }
            while index < end {
                if next[index] == index { (owners[index], next[index]) = (interval.entry, index + 1) }
                // Path halving, as in a union-find structure, keeps later searches short.
                next[index] = next[next[index]]
                index = next[index]
            }
        }
        var pieces: [CountedInterval] = []
        for (index, owner) in owners.enumerated() {
            guard let owner else { continue }
            if let last = pieces.last, last.to == times[index], last.entry == owner {
                pieces[pieces.count - 1].to = times[index + 1]
            } else {
                pieces.append(CountedInterval(from: times[index], to: times[index + 1], entry: owner))
            }
        }
        return pieces
    }
}
