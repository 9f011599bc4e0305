// SPDX-License-Identifier: Apache-2.0

import Session

/// A row of Toggl Track's detailed report: a time entry. Its project is the label, its description the title.
struct TogglSession: ForeignSession {
    let from: Int64
    let to: Int64
    let kind = PhaseKind.focus
    let title: String
    let label: String
    let identity: [String]
    let timeColumn = "Start date"

    init(_ row: ImportRow, zone: Zone) throws(ImportFlaw) {
        let begin = try Self.time("Start", of: row)
        let word = row["Stop date"].isEmpty ? "End" : "Stop"
        let length = LocalTime.length(row["Duration"])
        if Self.given(row["\(word) date"]).isEmpty {
            throw ImportFlaw("\(word) date", "it is empty: the entry still runs")
        }
        let end = try Self.time(word, of: row)
        guard let bounds = LocalTime.bounds(from: begin, to: end, length: length, in: zone) else {
            throw ImportFlaw("\(word) time", "the entry ends before it begins")
        }
        (from, to) = bounds
        label = Self.given(row["Project"])
        let description = Self.given(row["Description"])
        title = description.isEmpty ? Self.given(row["Task"]) : description
        // What people add to a report later, as tags and amounts, is not in it.
        identity = [
            begin.description, end.description, "\(to - from)", label, title, row["Email"],
            row["User"] + row["Member"],
        ]
    }

    private static func time(_ name: String, of row: ImportRow) throws(ImportFlaw) -> LocalTime {
        let date = try row.read("\(name) date", "a day such as 2026-11-21") { CivilDate($0) }
        return LocalTime(
            date: date, time: try row.read("\(name) time", "a time such as 08:30:00") { LocalTime.time($0) })
    }

    /// Where there is nothing, newer reports have a `-`.
    private static func given(_ text: String) -> String { text == "-" ? "" : text }
}
