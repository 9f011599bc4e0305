// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// A session of the file, from one row or several.
struct HistorySession {
    let record: LedgerRecord
    private(set) var corrections: [Correction] = []
    let calm: CalmFeed?

    init(_ rows: [ImportRow], now: GroupTime) throws(Import.RowError) {
        var (own, corrected, order): ([ImportRow], [String: [ImportRow]], [String]) = ([], [:], [])
        for row in rows {
            let correction = row["correction"]
            if correction.isEmpty { own.append(row) } else if corrected[correction] == nil { order.append(correction) }
            if !correction.isEmpty { corrected[correction, default: []].append(row) }
        }
        guard let first = own.first else {
            throw rows[0].problem("correction", "the rows of the session's record are missing")
        }
        record = try LedgerRecord(first, runs: try Self.runs(own, now: now))
        if let invalidField = record.invalidField {
            throw first.problem(Self.column(invalidField), "out of bounds")
        }
        if record.startedAt > now + Limits.stampLead { throw first.problem("started", "after the present") }
        // An open run ends as planned, which may be in the future.
        if let open = record.runs.last, open.to == nil, let end = record.endsAt,
            let problem = RunTimes.problem(from: open.from, to: end, now: end)
        {
            throw own[own.count - 1].problem("ends", problem)
        }
        for correction in order {
            let rows = corrected[correction] ?? []
            guard let first = rows.first else { continue }
            corrections.append(try Correction(first, of: record.key, runs: try Self.runs(rows, now: now)))
        }
        let percents = { (text: String) in Int(digits: text).flatMap { (0...100).contains($0) ? $0 : nil } }
        let percent = try first.readIfGiven("calm", "percent", percents)
        let coverage = try first.readIfGiven("coverage", "percent", percents)
        if let percent, let coverage {
            calm = CalmFeed(session: record.id, percent: percent, coverage: coverage, at: record.startedAt)
        } else {
            calm = nil
        }
    }

    private static func column(_ invalidField: String) -> String {
        ["startedAt": "started", "continuedAt": "continued", "endsAt": "ends", "runs": "from"][invalidField]
            ?? invalidField
    }

    private static func runs(_ rows: [ImportRow], now: GroupTime) throws(Import.RowError) -> [LedgerRecord.Run] {
        var runs: [LedgerRecord.Run] = []
        for row in rows where !row["kind"].isEmpty || !row["from"].isEmpty {
            // More runs than a session keeps are merged into its first.
            let isMerged = runs.isEmpty && rows.count == Limits.runs
            let run = LedgerRecord.Run(
                kind: try row.read("kind", "a kind of phase") { PhaseKind(rawValue: $0) },
                from: try row.time("from"), to: try row.timeIfGiven("to"))
            let end = run.to ?? run.from
            if let problem = RunTimes.problem(from: run.from, to: end, isMerged: isMerged, now: now) {
                throw row.problem(run.to == nil ? "from" : "to", problem)
            }
            runs.append(run)
        }
        return runs
    }
}

extension ImportRow {
    fileprivate static let times = "a time such as 2026-11-21T08:30:00.000+01:00"

    fileprivate func time(_ name: String) throws(Import.RowError) -> GroupTime {
        try read(name, Self.times) { ZonedTime.instant($0) }
    }

    fileprivate func timeIfGiven(_ name: String) throws(Import.RowError) -> GroupTime? {
        try readIfGiven(name, Self.times) { ZonedTime.instant($0) }
    }

    fileprivate var label: Label? {
        let name = CSVText.unguarded(self["label"])
        return name.isEmpty ? nil : Label(name: name, colour: Colour(hex: self["colour"]) ?? .grey)
    }
}

extension LedgerRecord {
    fileprivate init(_ row: ImportRow, runs: [Run]) throws(Import.RowError) {
        let node = try row.read("node", "the name of a node") { NodeID($0) }
        let counter = { (text: String) in Int(digits: text).flatMap { Limits.counter.contains($0) ? $0 : nil } }
        self.init(
            id: try row.read("session", "an id") { SessionID(CSVText.unguarded($0)) },
            lineage: try row.read("lineage", "an id") { SessionID(CSVText.unguarded($0)) },
            continuedAt: try row.timeIfGiven("continued"),
            continuedFrom: try row.readIfGiven("predecessor", "the name of a node") { NodeID($0) }, node: node,
            stamp: Stamp(
                time: try row.time("stamp"), counter: try row.read("counter", "a number", counter), node: node),
            version: Version(
                epoch: try row.read("epoch", "a number", counter), rev: try row.read("rev", "a number", counter)),
            title: CSVText.unguarded(row["title"]),
            icon: row["icon"].isEmpty ? nil : CSVText.unguarded(row["icon"]), label: row.label,
            mode: try row.read("mode", "countdown or countup") { Mode(rawValue: $0) },
            status: try row.read("status", "the status of a session") { Status(rawValue: $0) },
            startedAt: try row.time("started"), endsAt: try row.timeIfGiven("ends"), runs: runs,
            over: Milliseconds(try row.readIfGiven("over", "a number of milliseconds") { Int64(digits: $0) } ?? 0),
            isApproximate: try row.read("approx", "yes or no") { ["yes": true, "no": false][$0] })
    }
}

extension Correction {
    fileprivate init(_ row: ImportRow, of key: LedgerRecord.Key, runs: [LedgerRecord.Run]) throws(Import.RowError) {
        let id = try row.read("correction", "an id") { CorrectionID(CSVText.unguarded($0)) }
        let at = try row.time("corrected")
        let isDeleted = try row.read("status", "\(HistoryCSV.corrected) or \(HistoryCSV.deleted)") {
            [HistoryCSV.corrected: false, HistoryCSV.deleted: true][$0]
        }
        let (title, label) = (CSVText.unguarded(row["title"]), row.label)
        // The limits of a record apply to a correction too.
        if !title.isEmpty, !CleanText.accepts(title, bytes: Limits.titleBytes) {
            throw row.problem("title", "out of bounds")
        }
        if let label, !CleanText.accepts(label.name, bytes: Limits.nameBytes) {
            throw row.problem("label", "out of bounds")
        }
        guard runs.count <= Limits.runs, runs.allSatisfy(Self.fits) else {
            throw row.problem("from", "out of bounds")
        }
        self.init(
            id: id, key: key, at: at,
            content: isDeleted ? nil : Content(title: title, label: label, runs: runs))
    }

    private static func fits(_ run: LedgerRecord.Run) -> Bool {
        guard let to = run.to else { return false }
        return Limits.time.contains(run.from) && Limits.time.contains(to) && run.from <= to
    }
}
