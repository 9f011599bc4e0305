// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import FoundationEssentials
import Session
import Shell

/// `lockstep history`.
struct History: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists sessions, the latest last.", shouldDisplay: false)

    @OptionGroup var access: LedgerAccess

    @OptionGroup var options: HistoryOptions

    private struct SessionJSON: Encodable {
        var session: String
        var node: String
        var imported: String?
        var title: String
        var label: String?
        var status: String
        var from: Int64
        var to: Int64
        var done: Int64
        var corrected: Bool
    }

    func run() throws {
        try access.with { opened in
            let now = Clocks.now().wall
            let zone = opened.history.latest.zone
            var begin = Int64.min
            if let since = options.since {
                guard let given = InstantText.instant(since, zone: zone) else {
                    throw UsageError("--since takes a day such as 2026-11-01, not “\(since)”")
                }
                begin = given
            }
            let all = try opened.ledger.entries(of: opened.space, from: begin, to: .max)
            let rows = try all.indices.filter { try isWanted(all[$0], since: begin, in: opened, now: now) }.sorted {
                (all[$0].record.startedAt, all[$0].record.key) < (all[$1].record.startedAt, all[$1].record.key)
            }
            if options.csv { return try printCSV(rows.map { all[$0] }, in: opened) }
            let shares = Shares(of: all, history: opened.history, now: now)
            if options.ical {
                print(Calendar.text(of: rows.map { (all[$0], shares.spans(of: $0)) }, now: now), terminator: "")
            } else {
                for row in rows { print(try line(of: all[row], at: row, of: shares, in: opened)) }
            }
        }
    }

    private func isWanted(_ entry: Entry, since begin: Int64, in opened: LedgerAccess.Opened, now: Int64) throws -> Bool
    {
        // What a person has deleted is no part of the history, but of the ledger that can be made of it.
        guard !entry.isDeleted || options.csv else { return false }
        let shown =
            entry.isDeleted
            ? try opened.ledger.entryBeforeDeletion(entry.record.key, of: opened.space) ?? entry : entry
        let ends = shown.record.runs.contains { ($0.to ?? now) > begin } || shown.record.startedAt >= begin
        return ends && options.label.map { (shown.record.label?.name ?? "") == ($0 == "-" ? "" : $0) } ?? true
    }

    private func printCSV(_ rows: [Entry], in opened: LedgerAccess.Opened) throws {
        print(HistoryCSV.header)
        let calm = try opened.ledger.calm(of: rows.map(\.record.id), in: opened.space)
        for entry in rows {
            var (record, words) = (entry.record, [Correction]())
            if entry.correction != nil {
                record = try opened.ledger.record(record.key, of: opened.space) ?? record
                words = try opened.ledger.corrections(of: record.key, in: opened.space)
            }
            let lines = HistoryCSV.lines(
                of: record, words: words, calm: calm[record.id], zone: opened.history.latest.zone)
            for line in lines { print(line) }
        }
    }

    private func line(
        of entry: Entry, at index: Int, of shares: Shares, in opened: LedgerAccess.Opened
    ) throws -> String {
        let record = entry.record
        let done = shares.done(of: index)
        let source = ImportSource(node: record.node)
        let from = shares.spans(of: index).first?.from ?? record.runs.first?.from ?? record.startedAt
        guard options.json else {
            let when = InstantText.text(from, zone: opened.history.latest.zone)
            let label = record.label.map { " (\($0.name))" } ?? ""
            let mark = entry.correction == nil ? "" : ", corrected"
            let place = source.map { "from \($0.name)" } ?? "on \(record.node)"
            return "\(when)  \(done / 60_000)m  \(record.title)\(label)  \(record.id) \(place)\(mark)"
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let to = max(from, shares.end(of: index) ?? from)
        let row = SessionJSON(
            session: "\(record.id)", node: "\(record.node)", imported: source?.rawValue, title: record.title,
            label: record.label?.name, status: record.status.rawValue, from: from, to: to, done: done,
            corrected: entry.correction != nil)
        return String(decoding: try encoder.encode(row), as: UTF8.self)
    }
}

/// Sessions as a calendar (RFC 5545).
enum Calendar {
    /// Returns the calendar; each line ends with CR and LF, the last one too.
    static func text(of entries: [(entry: Entry, spans: [Shares.Span])], now: Int64) -> String {
        var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lockstep//history//EN"]
        for (entry, spans) in entries {
            for (index, span) in spans.enumerated() {
                lines += [
                    "BEGIN:VEVENT", "UID:\(entry.record.id)-\(index)@lockstep", "DTSTAMP:\(time(now))",
                    "DTSTART:\(time(span.from))", "DTEND:\(time(span.to))",
                    "SUMMARY:\(escaped(entry.record.title.isEmpty ? span.kind.rawValue : entry.record.title))",
                ]
                if let label = entry.record.label { lines.append("CATEGORIES:\(escaped(label.name))") }
                lines.append("END:VEVENT")
            }
        }
        return (lines + ["END:VCALENDAR"]).map { folded($0) + "\r\n" }.joined()
    }

    private static func time(_ instant: Int64) -> String {
        let (date, time) = Zone.utc.local(instant)
        let (year, month, day) = date.components
        let numbers = [Int64(month), Int64(day), time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60]
        let parts = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(year)\(parts[0])\(parts[1])T\(parts[2])\(parts[3])\(parts[4])Z"
    }

    private static func escaped(_ text: String) -> String {
        text.map { "\\;,".contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    /// At most 75 bytes a line; what goes on begins with a space.
    private static func folded(_ line: String) -> String {
        var (folded, width) = ("", 0)
        for character in line {
            let bytes = String(character).utf8.count
            if width + bytes > 74 {
                folded += "\r\n "
                width = 1
            }
            folded.append(character)
            width += bytes
        }
        return folded
    }
}
