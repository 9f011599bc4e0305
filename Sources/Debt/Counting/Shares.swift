// SPDX-License-Identifier: Apache-2.0

public import Session

/// What each session of a history contributes to its weeks: the shares add up to what the weeks say.
///
/// An instant belongs to one session only. What a session inherited from the one that it took over belongs to that one,
/// as far as the ledger has it.
public struct Shares: Sendable {
    /// Time of one session, of one kind of phase.
    public struct Span: Hashable, Sendable {
        /// What the phase was for.
        public var kind: PhaseKind
        /// The beginning, in milliseconds of group time.
        public var from: Int64
        /// The end.
        public var to: Int64
    }

    private let entries: [Entry]
    private let counting: Counting
    private let now: Int64
    private let cuts: [Int64]
    /// What counts of each entry, in order.
    private var pieces: [[Piece]]

    /// Divides the time among sessions.
    /// - Parameters:
    ///   - entries: The sessions, with all others of their lineages, in any order.
    ///   - history: The rules of the weeks, each of which counts by its own.
    ///   - now: The present, in milliseconds of group time: an open run counts up to here, or to its own end.
    public init(of entries: [Entry], history: RulesHistory, now: Int64) {
        self.entries = entries
        self.now = now
        counting = history.latest.counting
        cuts = Minutes.cuts(of: entries)
        pieces = entries.map { _ in [] }
        let rules = Set(history.items.map(\.rules.counting))
        for counting in rules {
            let minutes = Minutes(of: entries, counting: counting, now: now, isInheritedByFirst: true)
            for piece in minutes.pieces {
                guard rules.count > 1 else {
                    pieces[piece.entry].append(piece)
                    continue
                }
                var week = history.week(containing: piece.from)
                while week.from < piece.to {
                    if history.rules(for: week).counting == counting {
                        let (from, to) = (max(piece.from, week.from), min(piece.to, week.to))
                        pieces[piece.entry].append(Piece(from: from, to: to, entry: piece.entry))
                    }
                    week = history.week(after: week)
                }
            }
        }
        for index in pieces.indices { pieces[index].sort { $0.from < $1.from } }
    }

    /// Milliseconds that count of an entry.
    public func done(of index: Int) -> Int64 { pieces[index].reduce(0) { $0 + $1.length } }

    /// When an entry ends, in milliseconds of group time; the present for one that still runs.
    public func end(of index: Int) -> Int64? {
        entries[index].record.runs.last.map { max($0.from, min(end(of: $0, at: index), now)) }
    }

    /// When an entry ran, oldest first. Of kinds and labels that count, only what counts for this entry is given.
    public func spans(of index: Int) -> [Span] {
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

    private func end(of run: LedgerRecord.Run, at index: Int) -> Int64 {
        min(entries[index].end(of: run) ?? now, entries[index].correction == nil ? cuts[index] : .max)
    }

    private func isFormerKnown(of index: Int) -> Bool {
        let record = entries[index].record
        return entries[index].correction == nil
            && entries.contains { $0.record.lineage == record.lineage && $0.record.stamp < record.stamp }
    }
}
