// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Debt
import Runtime
import Session
import Settings

/// `lockstep-debt history`: lists the sessions, for `lockstep history`.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List sessions, the latest last.", shouldDisplay: false)

    @OptionGroup var access: LedgerAccessOptions
    @OptionGroup var options: HistoryOptions

    func run() throws {
        try access.withLedger { opened in
            let now = Clocks.now().told
            let zone = opened.history.latest.zone
            var begin = GroupTime.distantPast
            if let since = options.since {
                guard let given = zone.instants(since).first else {
                    throw UsageError("--since takes a day such as 2026-11-01, not “\(since)”")
                }
                begin = given
            }
            let entries = try opened.ledger.entries(of: opened.space, from: begin, to: .distantFuture)
            let wanted = try entries.indices.filter { try isWanted(entries[$0], since: begin, in: opened, now: now) }
            let rows = wanted.sorted {
                let (first, second) = (entries[$0].record, entries[$1].record)
                return (first.startedAt, first.key) < (second.startedAt, second.key)
            }
            if wanted.isEmpty, let label = options.label { try Self.check(label, in: opened) }
            if options.csv { return try printCSV(rows.map { entries[$0] }, in: opened) }
            let shares = Shares(of: entries, history: opened.history, now: now)
            if options.ical {
                print(ICalendar.text(of: rows.map { (entries[$0], shares.spans(of: $0)) }, now: now), terminator: "")
            } else {
                let minutes = WholeMinutes.of(rows.map(shares.done))
                for (row, done) in zip(rows, minutes) {
                    print(
                        options.json
                            ? json(of: entries[row], at: row, of: shares)
                            : line(of: entries[row], at: row, of: shares, minutes: done, in: opened))
                }
            }
        }
    }

    private func isWanted(_ entry: Entry, since begin: GroupTime, in opened: LedgerAccessOptions.Opened, now: GroupTime)
        throws
        -> Bool
    {
        // A list leaves out deleted sessions. A CSV file holds them, because it can be imported.
        guard !entry.isDeleted || options.csv else { return false }
        let shown =
            entry.isDeleted
            ? try opened.ledger.entryBeforeDeletion(entry.record.key, of: opened.space) ?? entry : entry
        let record = shown.record
        let isInTime = record.runs.contains { ($0.to ?? now) > begin } || record.startedAt >= begin
        return isInTime && options.label.map { (record.label?.name ?? "") == ($0 == "-" ? "" : $0) } ?? true
    }

    /// Checks that a session of the ledger has a label, whenever it was.
    private static func check(_ label: String, in opened: LedgerAccessOptions.Opened) throws {
        let entries = try opened.ledger.entries(of: opened.space, from: .distantPast, to: .distantFuture)
        let labels = Set(entries.filter { !$0.isDeleted }.compactMap { $0.record.label?.name })
        guard label != "-", !labels.contains(label) else { return }
        let known = labels.sorted().prefix(20).joined(separator: ", ")
        throw UsageError("--label “\(label)”: no session has it; there are \(known.isEmpty ? "no labels" : known)")
    }

    private func printCSV(_ rows: [Entry], in opened: LedgerAccessOptions.Opened) throws {
        print(HistoryCSV.header)
        let calm = try opened.ledger.calm(of: rows.map(\.record.id), in: opened.space)
        for entry in rows {
            var (record, corrections) = (entry.record, [Correction]())
            if entry.correction != nil {
                record = try opened.ledger.record(record.key, of: opened.space) ?? record
                corrections = try opened.ledger.corrections(of: record.key, in: opened.space)
            }
            let lines = HistoryCSV.lines(
                of: record, corrections: corrections, calm: calm[record.id], zone: opened.history.latest.zone)
            for line in lines { print(line) }
        }
    }

    private func line(
        of entry: Entry, at index: Int, of shares: Shares, minutes: Int, in opened: LedgerAccessOptions.Opened
    ) -> String {
        let record = entry.record
        let when = opened.history.latest.zone.text(of: begin(of: entry, at: index, in: shares))
        let label = record.label.map { " (\($0.name))" } ?? ""
        let mark = entry.correction == nil ? "" : ", corrected"
        let exclusion = shares.exclusion(of: index)
        let ran = Int(shares.ran(of: index).count / 60_000)
        let isPart = exclusion == nil && ran > minutes
        let length = isPart ? "\(minutes)m of \(ran)m" : "\(minutes)m"
        let over = shares.over(of: index).count / 60_000
        let beyond = over > 0 ? " (+\(over) min)" : ""
        let reason = exclusion.map { ", \(Self.words($0))" } ?? (isPart ? ", the rest counts for other sessions" : "")
        return
            "\(when)  \(length)\(beyond)  \(record.title.isEmpty ? "–" : record.title)\(label)  \(record.id) on \(record.node)\(mark)\(reason)"
    }

    private static func words(_ exclusion: Shares.Exclusion) -> String {
        switch exclusion {
        case .label: "its label does not count"
        case .kind: "its kind of phase does not count"
        case .minimum: "shorter than what counts"
        }
    }

    private func json(of entry: Entry, at index: Int, of shares: Shares) -> String {
        let record = entry.record
        let from = begin(of: entry, at: index, in: shares)
        let row: JSONText = [
            "corrected": (entry.correction != nil).json, "done": shares.done(of: index).count.json,
            // The rule by which nothing of it counts: label, kind or minimum.
            "excludedBy": shares.exclusion(of: index)?.rawValue.json, "from": from.milliseconds.json,
            "label": record.label?.name.json, "node": "\(record.node)".json,
            // The time that its phases ran beyond their lengths.
            "over": shares.over(of: index).count.json,
            // The time that its phases of kinds that count ran, also where another session counts.
            "ran": shares.ran(of: index).count.json,
            "session": "\(record.id)".json, "status": record.status.rawValue.json, "title": record.title.json,
            "to": max(from, shares.end(of: index) ?? from).milliseconds.json,
        ]
        return row.text
    }

    private func begin(of entry: Entry, at index: Int, in shares: Shares) -> GroupTime {
        shares.spans(of: index).first?.from ?? entry.record.runs.first?.from ?? entry.record.startedAt
    }
}
