// SPDX-License-Identifier: Apache-2.0

package import Session
import Wire

/// The history as CSV: a row for each run of each record and correction. The ledger can be rebuilt from it.
package enum HistoryCSV {
    /// The columns. A row counts if `counts` is `yes`. That is for people: an import takes the latest correction.
    package static let columns =
        columnsOfRun + ["counts"] + columnsOfSession + ["calm", "coverage", "predecessor", "over"]

    /// The columns without which a file is not read. Later ones are not added here, so earlier files stay readable.
    static let requiredColumns = columnsOfRun + columnsOfSession

    private static let columnsOfRun = ["from", "to", "kind", "title", "label", "colour", "status"]
    private static let columnsOfSession = [
        "session", "corrected", "correction", "node", "mode", "icon", "started", "ends", "approx", "lineage",
        "continued", "stamp", "counter", "epoch", "rev",
    ]

    /// The values of the status column in the rows of a correction.
    static let (corrected, deleted) = ("corrected", "deleted")

    package static var header: String { CSVText.row(Array(columns)) }

    /// Returns the rows of a record.
    /// - Parameter corrections: The corrections of the record, the earliest first.
    package static func lines(
        of record: LedgerRecord, corrections: [Correction] = [], calm: SessionCalm? = nil, zone: Zone
    ) -> [String] {
        func time(_ instant: GroupTime?) -> String { instant.map { ZonedTime.text($0, zone: zone) } ?? "" }
        var values = [
            "session": CSVText.guarded("\(record.id)"), "node": "\(record.node)", "mode": record.mode.rawValue,
            "icon": CSVText.guarded(record.icon ?? ""), "started": time(record.startedAt),
            "ends": time(record.endsAt), "approx": record.isApproximate ? "yes" : "no",
            "lineage": CSVText.guarded("\(record.lineage)"), "continued": time(record.continuedAt),
            "stamp": time(record.stamp.time),
            "counter": "\(record.stamp.counter)", "epoch": "\(record.version.epoch)",
            "rev": "\(record.version.rev)", "calm": calm.map { "\($0.percent)" } ?? "",
            "coverage": calm.map { "\($0.coverage)" } ?? "",
            "predecessor": record.continuedFrom.map { "\($0)" } ?? "", "over": "\(record.over.count)",
        ]
        var lines: [String] = []
        func add(_ title: String, _ label: Label?, _ runs: [LedgerRecord.Run], isValid: Bool) {
            values["title"] = CSVText.guarded(title)
            values["label"] = CSVText.guarded(label?.name ?? "")
            values["colour"] = label?.colour.description ?? ""
            values["counts"] = isValid && !runs.isEmpty ? "yes" : "no"
            // Without a run there is still a row.
            let optionalRuns = runs.map(Optional.some)
            for run in optionalRuns.isEmpty ? [nil] : optionalRuns {
                values["kind"] = run?.kind.rawValue ?? ""
                values["from"] = time(run?.from)
                values["to"] = time(run?.to)
                lines.append(CSVText.row(columns.map { values[$0] ?? "" }))
            }
        }
        values["status"] = record.status.rawValue
        add(record.title, record.label, record.runs, isValid: corrections.isEmpty)
        for correction in corrections {
            values["status"] = correction.content == nil ? deleted : corrected
            values["corrected"] = time(correction.at)
            values["correction"] = CSVText.guarded("\(correction.id)")
            add(
                correction.content?.title ?? "", correction.content?.label, correction.content?.runs ?? [],
                isValid: correction.id == corrections.last?.id)
        }
        return lines
    }
}
