// SPDX-License-Identifier: Apache-2.0

import Debt
import Session

/// Counts minutes instant by instant, as the protocol defines them: slow, and without code of the program.
struct Reference {
    /// The session ID that owns each instant.
    var owners: [SessionID?] = []
    /// When counted time ends, if some is running at present.
    var until: Int64?

    init(_ arrivals: [Story.Arrival], counting: Counting, now: Int64, length: Int64) {
        var records: [SessionID: LedgerRecord] = [:]
        var words: [SessionID: Correction] = [:]
        for arrival in arrivals {
            switch arrival {
            case .record(let record):
                if let held = records[record.id], held.version.rev >= record.version.rev { continue }
                records[record.id] = record
            case .correction(let word):
                if let held = words[word.key.session] {
                    if held.at > word.at || (held.at == word.at && held.id.rawValue > word.id.rawValue) { continue }
                }
                words[word.key.session] = word
            }
        }
        let last = max(length * 3, now + 1_000)
        let lines = records.values.map { record in
            let line = Line(of: record, corrected: words[record.id], counting: counting, now: now, until: last)
            return line.cut(by: records.values)
        }
        let enough = Set(lines.map(\.record.lineage)).filter { lineage in
            let members = lines.filter { $0.record.lineage == lineage }
            if counting.minimum == 0 || members.contains(where: \.isOngoing) { return true }
            var any = [Bool](repeating: false, count: Int(last) + 1)
            for member in members {
                let counts = member.counts
                for at in member.span where counts[at] { any[at] = true }
            }
            return any.count(where: \.self) >= counting.minimum.count
        }
        // The largest stamp wins, so it is painted last.
        owners = [SessionID?](repeating: nil, count: Int(length * 3))
        for line in lines.sorted(by: { $0.record.stamp < $1.record.stamp }) where enough.contains(line.record.lineage) {
            let (id, counts) = (line.record.id, line.counts)
            for at in line.span.clamped(to: 0..<owners.count) where counts[at] { owners[at] = id }
        }
        let ongoing = lines.filter(\.isOngoing)
        if !ongoing.isEmpty {
            until = (now...now + 1_000).first { at in !ongoing.contains { $0.runs[Int(at)] } }
        }
    }

    /// A session, instant by instant.
    private struct Line {
        var record: LedgerRecord
        var isCorrected: Bool
        /// Whether it runs at each instant; open runs extend to their own end.
        var runs: [Bool]
        /// Whether it runs at each instant; open runs extend to the present.
        var counts: [Bool]
        /// The instants within which its runs lie.
        private(set) var span = 0..<0
        private var now: Int64
        private var kinds: Set<PhaseKind>

        init(of record: LedgerRecord, corrected word: Correction?, counting: Counting, now: Int64, until last: Int64) {
            self.record = record
            self.now = now
            kinds = counting.kinds
            isCorrected = word != nil
            runs = [Bool](repeating: false, count: Int(last) + 1)
            counts = runs
            if let word, word.content == nil { return }
            let label = word.map { $0.content?.label } ?? record.label
            if let labels = counting.labels, !labels.contains(label?.name ?? "") { return }
            for run in word?.content?.runs ?? record.runs where counting.kinds.contains(run.kind) {
                let end = (run.to ?? record.endsAt ?? 0).milliseconds
                let from = max(run.from, 0).milliseconds
                let painted = Int(from)..<Int(max(from, min(end, last + 1)))
                span =
                    span.isEmpty
                    ? painted
                    : min(span.lowerBound, painted.lowerBound)..<max(span.upperBound, painted.upperBound)
                for at in painted {
                    runs[at] = true
                    if run.to != nil || at < now { counts[at] = true }
                }
            }
        }

        /// Returns the line without time taken over by a later session of its lineage. A correction is not cut.
        func cut(by others: some Sequence<LedgerRecord>) -> Line {
            var line = self
            let chain = others.filter { $0.lineage == record.lineage }
            for other in chain where !isCorrected && other.stamp > record.stamp {
                // A takeover without a name is from the session with the largest smaller stamp.
                let named =
                    other.continuedFrom ?? chain.filter { $0.stamp < other.stamp }.max { $0.stamp < $1.stamp }?.node
                guard let at = other.continuedAt, named == record.node else { continue }
                for at in Int(max(at, 0).milliseconds)..<max(runs.count, Int(max(at, 0).milliseconds)) {
                    line.runs[at] = false
                    line.counts[at] = false
                }
            }
            return line
        }

        /// Whether an open run counts at present.
        var isOngoing: Bool {
            guard !isCorrected, let last = record.runs.last, last.to == nil, last.from.milliseconds <= now else {
                return false
            }
            return kinds.contains(last.kind) && runs[Int(now)]
        }
    }
}
