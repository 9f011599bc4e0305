// SPDX-License-Identifier: Apache-2.0

import Session

/// A row of Goodtime's CSV export: when a session ended, on the phone's clock to the minute, and how many minutes it took.
///
/// Breaks that a person took while it ran (`interruptions`) are not in these minutes, and where they lay nobody knows: the
/// minutes are taken for the last ones before the end.
struct GoodtimeSession: ForeignSession {
    let from: Int64
    let to: Int64
    let kind: PhaseKind
    let title: String
    let label: String
    let identity: [String]
    let timeColumn: String

    init(_ row: ImportRow, zone: Zone) throws(ImportFlaw) {
        timeColumn = row["time-of-completion"].isEmpty ? "end" : "time-of-completion"
        let end = try row.read(timeColumn, "a time such as 2026-11-21T08:30:00") { LocalTime($0) }
        let minutes = try row.read("duration", "minutes, 0 to 10080") { text in
            Int64(text).flatMap { (0...10_080).contains($0) ? $0 : nil }
        }
        let isBreak = try row.readIfGiven("is_break", "true or false") { Bool($0) } ?? false
        let isWork = try row.readIfGiven("work", "true or false") { Bool($0) } ?? true
        to = end.instant(in: zone)
        from = to - minutes * 60_000
        kind = isBreak || !isWork ? .shortBreak : .focus
        title = row["notes"]
        label = row["label"]
        guard label.first != "\"", label.unicodeScalars.allSatisfy(CleanText.isClean) else {
            throw ImportFlaw("label", "it is broken up by a quote or the end of a line")
        }
        identity = [end.description, "\(minutes)", kind.rawValue, label, title]
    }
}
