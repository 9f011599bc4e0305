// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import FoundationEssentials
import Session
import Shell

struct History: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists sessions, the latest last.")

    @OptionGroup var access: LedgerAccess

    @Option(help: "From which day on, as 2026-11-01 (default: 30 days ago).")
    var since: String?

    @Option(help: "Only those of this label; - is the default label.")
    var label: String?

    @Flag(help: "As JSON, one session a line.")
    var json = false

    @Flag(help: "As CSV.")
    var csv = false

    @Flag(help: "As a calendar (iCalendar), a run an event.")
    var ical = false

    private struct SessionJSON: Encodable {
        var session: String
        var node: String
        var title: String
        var label: String?
        var status: String
        var from: Int64
        var to: Int64
        var done: Int64
        var corrected: Bool
    }

    func run() throws {
        guard [json, csv, ical].count(where: \.self) <= 1 else {
            throw UsageError("--json, --csv and --ical exclude each other")
        }
        try access.with { opened in
            let now = Clocks.now().wall
            let zone = opened.history.latest.zone
            var begin = now - 30 * 86_400_000
            if let since {
                guard let given = InstantText.instant(since, zone: zone) else {
                    throw UsageError("--since takes a day such as 2026-11-01, not “\(since)”")
                }
                begin = given
            }
            let found = try opened.ledger.entries(of: opened.space, from: begin, to: .max).filter { entry in
                let ends = entry.record.runs.contains { ($0.to ?? now) > begin }
                let isWanted = label.map { (entry.record.label?.name ?? "") == ($0 == "-" ? "" : $0) } ?? true
                return ends && isWanted && !entry.isDeleted
            }
            let rows = found.sorted { ($0.record.startedAt, $0.record.id) < ($1.record.startedAt, $1.record.id) }
            if ical { print(Calendar.text(of: rows, now: now)) } else { try list(rows, in: opened, now: now) }
        }
    }

    private func list(_ rows: [Entry], in opened: LedgerAccess.Opened, now: Int64) throws {
        if csv { print("session,node,title,label,status,kind,from,to") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for entry in rows {
            let record = entry.record
            let minutes = Minutes(
                of: [entry], counting: Counting(kinds: opened.history.latest.counting.kinds, minimum: 0), now: now)
            let (from, to) = (record.runs.first?.from ?? record.startedAt, record.runs.last?.to ?? now)
            if csv {
                for run in record.runs {
                    let fields = [
                        "\(record.id)", "\(record.node)", record.title, record.label?.name ?? "",
                        record.status.rawValue, run.kind.rawValue, "\(run.from)", run.to.map { "\($0)" } ?? "",
                    ]
                    print(fields.map(Self.quoted).joined(separator: ","))
                }
            } else if json {
                let row = SessionJSON(
                    session: "\(record.id)", node: "\(record.node)", title: record.title, label: record.label?.name,
                    status: record.status.rawValue, from: from, to: to, done: minutes.total,
                    corrected: entry.correction != nil)
                print(String(decoding: try encoder.encode(row), as: UTF8.self))
            } else {
                let when = InstantText.text(from, zone: opened.history.latest.zone)
                let label = record.label.map { " (\($0.name))" } ?? ""
                let mark = entry.correction == nil ? "" : ", corrected"
                print(
                    "\(when)  \(minutes.total / 60_000)m  \(record.title)\(label)  \(record.id) on \(record.node)\(mark)"
                )
            }
        }
    }

    /// RFC 4180; what a spreadsheet would take for a formula is text.
    static func quoted(_ text: String) -> String {
        let safe = text.first.map { "=+-@".contains($0) } == true && Int(text) == nil ? "'" + text : text
        guard safe.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return safe }
        return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// Sessions as a calendar (RFC 5545).
enum Calendar {
    static func text(of entries: [Entry], now: Int64) -> String {
        var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lockstep//history//EN"]
        for entry in entries {
            for (index, run) in entry.record.runs.enumerated() {
                lines += [
                    "BEGIN:VEVENT", "UID:\(entry.record.id)-\(index)@lockstep", "DTSTAMP:\(time(now))",
                    "DTSTART:\(time(run.from))", "DTEND:\(time(run.to ?? now))",
                    "SUMMARY:\(escaped(entry.record.title.isEmpty ? run.kind.rawValue : entry.record.title))",
                ]
                if let label = entry.record.label { lines.append("CATEGORIES:\(escaped(label.name))") }
                lines.append("END:VEVENT")
            }
        }
        return (lines + ["END:VCALENDAR"]).map(folded).joined(separator: "\r\n")
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
