// SPDX-License-Identifier: Apache-2.0

import Session

/// A time entry of Toggl Track's detailed report. Its project becomes the label, its description the title.
struct TogglSession: ForeignSession {
    let from: Int64
    let to: Int64
    let kind = PhaseKind.focus
    let title: String
    let label: String
    let identity: [String]
    let timeColumn = "Start date"

    init(_ row: ImportRow, zone: Zone) throws(ImportRowError) {
        let begin = try Self.time("Start", of: row)
        let word = row["Stop date"].isEmpty ? "End" : "Stop"
        let length = ZonelessTime.length(row["Duration"])
        if Self.given(row["\(word) date"]).isEmpty {
            throw ImportRowError("\(word) date", "empty: the entry is still running")
        }
        let end = try Self.time(word, of: row)
        guard let bounds = ZonelessTime.bounds(from: begin, to: end, length: length, in: zone) else {
            throw ImportRowError("\(word) time", "the entry ends before it begins")
        }
        (from, to) = bounds
        label = Self.given(row["Project"])
        let description = Self.given(row["Description"])
        title = description.isEmpty ? Self.given(row["Task"]) : description
        // Tags and amounts are left out, since people change them later.
        identity = [
            begin.description, end.description, "\(to - from)", label, title, row["Email"],
            row["User"] + row["Member"],
        ]
    }

    private static func time(_ name: String, of row: ImportRow) throws(ImportRowError) -> ZonelessTime {
        let date = try row.read("\(name) date", "a day such as 2026-11-21") { CivilDate($0) }
        return ZonelessTime(
            date: date, time: try row.read("\(name) time", "a time such as 08:30:00") { ZonelessTime.time($0) })
    }

    /// Returns the text, or nothing for the `-` that newer reports write into empty fields.
    private static func given(_ text: String) -> String { text == "-" ? "" : text }
}
