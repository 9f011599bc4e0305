// SPDX-License-Identifier: Apache-2.0

import Runtime
package import Session
package import Settings
package import Wire

/// The sessions read from the history of a ledger, or from that of another program in the same form.
package struct Import: Sendable {
    /// A row that cannot be imported, and why.
    package struct RowError: Error, Encodable, Hashable, CustomStringConvertible {
        /// The line that the row starts on, from 1.
        package var line: Int
        /// The column; `nil` for the row as a whole.
        package var column: String?
        package var reason: String

        package var description: String { "line \(line)\(column.map { ", \($0)" } ?? ""): \(reason)" }
    }

    /// The number of bad rows after which reading ends. Such a file is the wrong one.
    private static let problemsLimit = 10_000

    /// The sessions, each once.
    package private(set) var records: [LedgerRecord] = []
    package private(set) var corrections: [Correction] = []
    package private(set) var calm: [CalmFeed] = []
    /// The rows that cannot be imported, in file order.
    package private(set) var problems: [RowError] = []

    /// - Parameters:
    ///   - now: The present: no session can end later.
    ///   - progress: Called now and then with the fraction read, 0 to 1.
    /// - Throws: ``ValueError`` if the file is empty, its columns are unknown, or far too many rows cannot be read.
    package init(
        csv: [UInt8], now: GroupTime = Clocks.now().told, progress: (Double) -> Void = { _ in }
    ) throws(ValueError) {
        var reader = CSVReader(csv)
        guard let header = reader.next() else { throw ValueError("the file is empty") }
        // A spreadsheet may have added spaces and empty columns.
        let names = header.fields.map(CleanText.trimmed)
        guard header.problem == nil, Set(names).isSuperset(of: HistoryCSV.requiredColumns) else {
            throw Self.unknownColumns(names)
        }
        // The first of two equal names wins.
        let columns = Dictionary(zip(names, names.indices)) { first, _ in first }
        var history: [ImportRow] = []
        var number = 0
        while let row = reader.next() {
            number += 1
            if number % 5_000 == 0 { progress(reader.progress) }
            let count = row.fields.count
            let reason =
                row.problem
                ?? (count == names.count
                    ? nil : "\(count) field\(count == 1 ? "" : "s"), but the first line has \(names.count)")
            guard let reason else {
                history.append(ImportRow(line: row.line, fields: row.fields, columns: columns))
                continue
            }
            problems.append(RowError(line: row.line, reason: reason))
            guard problems.count <= Self.problemsLimit else {
                throw ValueError("thousands of rows are not rows of lockstep history --csv: is this the right file?")
            }
        }
        takeHistory(history, now: now)
        problems.sort { $0.line < $1.line }
    }

    private static func unknownColumns(_ header: [String]) -> ValueError {
        let shown = header.joined(separator: ",").unicodeScalars.filter(CleanText.isClean).prefix(200)
        return ValueError(
            "unknown columns in the first line: \(String(String.UnicodeScalarView(shown)))\n"
                + "A file needs the columns of lockstep history --csv: \(HistoryCSV.requiredColumns.joined(separator: ","))\n"
                + "import.py turns exports of Goodtime and Toggl Track into such a file: "
                + "import.py EXPORT --zone ZONE | lockstep debt import -")
    }

    private mutating func takeHistory(_ rows: [ImportRow], now: GroupTime) {
        // A session is imported with all of its rows or not at all: without one of them its minutes would be wrong.
        var (groups, order): ([String: [ImportRow]], [String]) = ([:], [])
        for row in rows {
            // Two nodes may have recorded sessions with the same id.
            let session = "\(row["session"]) \(row["node"])"
            if groups[session] == nil { order.append(session) }
            groups[session, default: []].append(row)
        }
        for session in order {
            do throws(RowError) {
                let found = try HistorySession(groups[session] ?? [], now: now)
                records.append(found.record)
                corrections += found.corrections
                if let percent = found.calm { calm.append(percent) }
            } catch {
                problems.append(error)
            }
        }
    }
}
