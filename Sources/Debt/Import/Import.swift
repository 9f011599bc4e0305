// SPDX-License-Identifier: Apache-2.0

import Platform
package import Session
package import Wire

/// The sessions read from the history of a ledger, or from that of another program in the same form.
package struct Import: Sendable {
    /// A row that cannot be imported, and why.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The line that the row starts on, from 1.
        package var line: Int
        /// The column; `nil` for the row as a whole.
        package var column: String?
        package var reason: String

        /// A message such as `line 3, Start date: …`.
        package var description: String { "line \(line)\(column.map { ", \($0)" } ?? ""): \(reason)" }
    }

    /// The bad rows after which reading ends. A judgement: such a file is another one than was meant.
    private static let problemsLimit = 10_000

    private let now: Int64
    /// The sessions, each once.
    package private(set) var records: [LedgerRecord] = []
    package private(set) var corrections: [Correction] = []
    package private(set) var calm: [CalmFeed] = []
    /// The rows that cannot be imported, in file order.
    package private(set) var problems: [Problem] = []

    /// - Parameters:
    ///   - now: The present, in milliseconds since 1970: no session can end later.
    ///   - progress: Called now and then with the fraction read, 0 to 1.
    /// - Throws: ``ImportError`` if the file is empty or its columns are unknown.
    package init(
        csv: [UInt8], now: Int64 = SystemClock.wallMilliseconds(), progress: (Double) -> Void = { _ in }
    ) throws(ImportError) {
        self.now = now
        var reader = CSVReader(csv)
        guard let header = reader.next() else { throw .empty }
        // A spreadsheet may have added spaces and empty columns.
        let names = header.fields.map(Self.trimmed)
        guard header.invalidField == nil, Set(names).isSuperset(of: HistoryCSV.needed) else { throw .unknown(names) }
        let columns = ImportColumns(names)
        var history: [ImportRow] = []
        var number = 0
        while let row = reader.next() {
            number += 1
            if number % 5_000 == 0 { progress(reader.progress) }
            do throws(ImportRowError) {
                history.append(try ImportRow(row, columns: columns))
            } catch {
                problems.append(Problem(line: row.line, column: error.column, reason: error.reason))
                guard problems.count <= Self.problemsLimit else { throw .hopeless }
            }
        }
        takeHistory(history)
        problems.sort { $0.line < $1.line }
    }

    private mutating func takeHistory(_ rows: [ImportRow]) {
        // A session is imported with all of its rows or not at all: without one of them its minutes would be wrong.
        var (groups, order): ([String: [ImportRow]], [String]) = ([:], [])
        for row in rows {
            // Two nodes may have recorded sessions with the same ID.
            let session = "\(row["session"]) \(row["node"])"
            if groups[session] == nil { order.append(session) }
            groups[session, default: []].append(row)
        }
        for session in order {
            let group = groups[session] ?? []
            do throws(HistoryRowError) {
                let found = try HistorySession(group, now: now)
                records.append(found.record)
                corrections += found.corrections
                if let percent = found.calm { calm.append(percent) }
            } catch {
                problems.append(Problem(line: error.line, column: error.cause.column, reason: error.cause.reason))
            }
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// An error that stops the import of a whole file.
package enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    /// The columns in the first line are unknown.
    case unknown([String])
    /// Far too many rows cannot be read.
    case hopeless

    /// The problem, and the columns that are needed.
    package var description: String {
        switch self {
        case .empty: return "the file is empty"
        case .hopeless: return "thousands of rows are none of lockstep history --csv: is this the right file?"
        case .unknown(let header):
            let shown = header.joined(separator: ",").unicodeScalars.filter(CleanText.isClean).prefix(200)
            return "unknown columns in the first line: \(String(String.UnicodeScalarView(shown)))\n"
                + "A file needs the columns of lockstep history --csv: \(HistoryCSV.needed.joined(separator: ","))\n"
                + "import.py turns exports of Goodtime and Toggl Track into such a file: "
                + "import.py EXPORT --zone ZONE | lockstep debt import -"
        }
    }
}
