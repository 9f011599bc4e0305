// SPDX-License-Identifier: Apache-2.0

package import Session

/// The shares of sessions in the counted time of the weeks. They add up to the weeks' totals: an instant belongs to one
/// session only. Time inherited by a takeover belongs to the earlier session, if the ledger has it.
package struct Shares: Sendable {
    /// An interval of one session and one kind of phase.
    package struct Span: Hashable, Sendable {
        package var kind: PhaseKind
        package var from: GroupTime
        package var to: GroupTime
    }

    private let entries: [Entry]
    private let history: RulesHistory
    private let counting: Counting
    private let now: GroupTime
    private let cuts: [GroupTime]
    /// The counted intervals of each entry, in order.
    private var pieces: [[CountedInterval]]

    /// - Parameters:
    ///   - entries: The sessions, with all others of their lineages, in any order.
    ///   - history: The rules; each week counts by its own.
    ///   - now: The present: an open run counts up to here, or to its own end.
    package init(of entries: [Entry], history: RulesHistory, now: GroupTime) {
        self.entries = entries
        self.now = now
        self.history = history
        counting = history.latest.counting
        cuts = CountedTime.cuts(of: entries)
        pieces = entries.map { _ in [] }
        let selections = Set(history.items.map(\.rules.counting))
        for counting in selections {
            let counted = CountedTime(of: entries, counting: counting, now: now, isInheritedByFirst: true)
            for piece in counted.pieces {
                guard selections.count > 1 else {
                    pieces[piece.entry].append(piece)
                    continue
                }
                var week = history.week(containing: piece.from)
                while week.from < piece.to {
                    if history.rules(for: week).counting == counting {
                        let (from, to) = (max(piece.from, week.from), min(piece.to, week.to))
                        pieces[piece.entry].append(CountedInterval(from: from, to: to, entry: piece.entry))
                    }
                    week = history.week(after: week)
                }
            }
        }
        for index in pieces.indices { pieces[index].sort { $0.from < $1.from } }
    }

    /// Returns the counted time of an entry.
    package func done(of index: Int) -> Milliseconds { pieces[index].reduce(0) { $0 + $1.length } }

    /// Returns how long an entry's phases of kinds that count ran, also while another session counts.
    package func ran(of index: Int) -> Milliseconds {
        let record = entries[index].record
        guard counting.includes(record.label) else { return 0 }
        return record.runs.filter { counting.kinds.contains($0.kind) }.reduce(0) { sum, run in
            sum + max(0, min(end(of: run, at: index), now) - run.from)
        }
    }

    /// A rule of ``Counting`` by which nothing of a session counts.
    package enum Exclusion: String, Sendable { case label, kind, minimum }

    /// Returns the rule of the entry's first week by which nothing of it counts. `nil` if something counts, or if all
    /// of its time counts for other sessions.
    package func exclusion(of index: Int) -> Exclusion? {
        guard done(of: index) == 0 else { return nil }
        let record = entries[index].record
        let counting = history.rules(for: history.week(containing: record.startedAt)).counting
        guard counting.includes(record.label) else { return .label }
        guard record.runs.isEmpty || record.runs.contains(where: { counting.kinds.contains($0.kind) }) else {
            return .kind
        }
        return ran(of: index) < counting.minimum ? .minimum : nil
    }

    /// Returns how long an entry's phases of all kinds ran beyond their lengths. Inherited overtime
    /// is left to the session that was taken over, if the ledger has it.
    package func over(of index: Int) -> Milliseconds {
        let record = entries[index].record
        guard isFormerKnown(of: index) else { return overUntilCut(of: index) }
        let former = entries.indices.filter {
            entries[$0].record.lineage == record.lineage && entries[$0].record.stamp < record.stamp
        }
        return max(0, overUntilCut(of: index) - (former.map(overUntilCut).max() ?? 0))
    }

    /// Returns an entry's overtime without what a takeover cut off. Overtime is the end of a phase, so it is cut first.
    private func overUntilCut(of index: Int) -> Milliseconds {
        let record = entries[index].record
        let cutOff = record.runs.reduce(Milliseconds.zero) { sum, run in
            guard let to = run.to else { return sum }
            return sum + max(0, to - max(run.from, end(of: run, at: index)))
        }
        return max(0, record.over - cutOff)
    }

    /// Returns when an entry ends: `now` while it runs, `nil` without runs.
    package func end(of index: Int) -> GroupTime? {
        entries[index].record.runs.last.map { max($0.from, min(end(of: $0, at: index), now)) }
    }

    /// Returns when an entry ran, oldest first. Kinds and labels that count are limited to this entry's share.
    package func spans(of index: Int) -> [Span] {
        let entry = entries[index]
        let record = entry.record
        return record.runs.flatMap { run -> [Span] in
            let end = end(of: run, at: index)
            let (from, to) = (run.from, run.to == nil ? min(end, now) : end)
            if counting.kinds.contains(run.kind), counting.includes(record.label) {
                return pieces[index].compactMap { piece in
                    let (from, to) = (max(from, piece.from), min(to, piece.to))
                    return to > from ? Span(kind: run.kind, from: from, to: to) : nil
                }
            }
            let begin = isFormerKnown(of: index) ? max(from, record.continuedAt ?? from) : from
            return to > begin ? [Span(kind: run.kind, from: begin, to: to)] : []
        }
    }

    private func end(of run: LedgerRecord.Run, at index: Int) -> GroupTime {
        min(entries[index].end(of: run) ?? now, entries[index].correction == nil ? cuts[index] : .distantFuture)
    }

    private func isFormerKnown(of index: Int) -> Bool {
        let record = entries[index].record
        return entries[index].correction == nil
            && entries.contains { $0.record.lineage == record.lineage && $0.record.stamp < record.stamp }
    }
}
