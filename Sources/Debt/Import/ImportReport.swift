// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Ledger
package import Session

/// The result of an import, for people and programs.
package struct ImportReport: Encodable {
    private var file: String
    private var dryRun: Bool
    /// The number of new sessions, and the length of their runs in milliseconds.
    private var imported = 0
    private var milliseconds: Int64 = 0
    /// The number of sessions that the ledger holds in the same or a later version.
    private var known = 0
    /// The number of sessions of which the ledger holds another record of the same version.
    private var conflicts = 0
    package var corrections = 0
    private var skipped: [Import.RowError]

    package init(file: String, found: Import, isDry: Bool) {
        self.file = file
        dryRun = isDry
        skipped = found.problems
    }

    package mutating func count(_ filing: FilingResult, of record: LedgerRecord) {
        switch filing {
        case .stored:
            imported += 1
            milliseconds += record.runs.reduce(0) { $0 + (($1.to ?? $1.from) - $1.from).count }
        case .known, .older: known += 1
        case .conflict: conflicts += 1
        case .overQuota: break  // An import has no quota.
        }
    }

    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    package var text: String {
        var parts = [
            "\(dryRun ? "Would import" : "Imported") \(Self.counted(imported, "session")) of "
                + Self.counted(Int(milliseconds / 60_000), "minute")
        ]
        if corrections > 0 { parts.append(Self.counted(corrections, "correction")) }
        if known > 0 { parts.append("\(known) \(known == 1 ? "was" : "were") already there") }
        if conflicts > 0 {
            parts.append(
                "\(conflicts) \(conflicts == 1 ? "differs" : "differ") from what the ledger holds: lockstep doctor names "
                    + (conflicts == 1 ? "it" : "them"))
        }
        if !skipped.isEmpty { parts.append("\(Self.counted(skipped.count, "row")) skipped") }
        return parts.joined(separator: "; ") + "."
    }

    package static func counted(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
