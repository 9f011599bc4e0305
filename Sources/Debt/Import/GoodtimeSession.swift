// SPDX-License-Identifier: Apache-2.0

import Session

/// A row of Goodtime's CSV export.
///
/// It has the end of a session in local time, to the minute, and its length in minutes. The length excludes
/// `interruptions`, whose position is unknown: the session is taken to have run without a break until its end.
struct GoodtimeSession: ForeignSession {
    let from: Int64
    let to: Int64
    let kind: PhaseKind
    let title: String
    let label: String
    let identity: [String]
    let timeColumn: String

    init(_ row: ImportRow, zone: Zone) throws(ImportRowError) {
        timeColumn = row["time-of-completion"].isEmpty ? "end" : "time-of-completion"
        let end = try row.read(timeColumn, "a time such as 2026-11-21T08:30:00") { ZonelessTime($0) }
        let minutes = try row.read("duration", "minutes, 0 to 1440") { text in
            Int64(text).flatMap { (0...1_440).contains($0) ? $0 : nil }
        }
        let isBreak = try row.readIfGiven("is_break", "true or false") { Bool($0) } ?? false
        let isWork = try row.readIfGiven("work", "true or false") { Bool($0) } ?? true
        to = end.instant(in: zone)
        from = to - minutes * 60_000
        kind = isBreak || !isWork ? .shortBreak : .focus
        title = row["notes"]
        label = row["label"]
        guard label.first != "\"", label.unicodeScalars.allSatisfy(CleanText.isClean) else {
            throw ImportRowError("label", "contains a quote or a line break")
        }
        identity = [end.description, "\(minutes)", kind.rawValue, label, title]
    }
}
