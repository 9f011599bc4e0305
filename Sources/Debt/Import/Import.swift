// SPDX-License-Identifier: Apache-2.0

import Platform
package import Session
package import Wire

/// The sessions read from another program's export, or from the history of another ledger.
package struct Import: Sendable {
    /// A row that cannot be imported, and why.
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The line that the row starts on, from 1.
        package var line: Int
        /// The column; `nil` for the row as a whole.
        package var column: String?
        /// The problem.
        package var reason: String

        /// A message such as `line 3, Start date: …`.
        package var description: String { "line \(line)\(column.map { ", \($0)" } ?? ""): \(reason)" }
    }

    /// The bad rows after which reading ends. A judgement: such a file is another one than was meant.
    private static let problemsLimit = 10_000

    private let now: Int64
    /// The program that wrote the file.
    package let source: ImportSource
    /// The sessions, each once.
    package private(set) var records: [LedgerRecord] = []
    /// Their corrections.
    package private(set) var corrections: [Correction] = []
    /// Their calm readings.
    package private(set) var calm: [CalmFeed] = []
    /// The rows that cannot be imported, in file order.
    package private(set) var problems: [Problem] = []
    /// The number of rows whose title or label was too long and has been shortened.
    package private(set) var shortened = 0
    /// The number of duplicate rows.
    package private(set) var repeated = 0

    /// Reads a file.
    /// - Parameters:
    ///   - csv: The content of the file.
    ///   - zone: The zone of times without an offset.
    ///   - colours: The colours of known labels, by name.
    ///   - now: The present, in milliseconds since 1970: no session can end later.
    ///   - progress: Called now and then with the fraction read, 0 to 1.
    /// - Throws: ``ImportError`` if the file is empty or its columns are unknown.
    package init(
        csv: [UInt8], zone: Zone, colours: [String: Colour] = [:], now: Int64 = SystemClock.wallMilliseconds(),
        progress: (Double) -> Void = { _ in }
    ) throws(ImportError) {
        self.now = now
        var reader = CSVReader(csv)
        guard let header = reader.next() else { throw .empty }
        // A spreadsheet may have added spaces and empty columns.
        let names = header.fields.map(Self.trimmed)
        guard header.invalidField == nil, let source = ImportSource(header: names) else { throw .unknown(names) }
        self.source = source
        // Goodtime never quotes, whatever its notes contain; a spreadsheet that re-saved its file does.
        reader.isQuoted = source != .goodtime || reader.hasQuotesInFirstLine
        let columns = ImportColumns(names)
        var history: [ImportRow] = []
        var known: Set<SessionID> = []
        var number = 0
        while let row = reader.next() {
            number += 1
            if number % 5_000 == 0 { progress(reader.progress) }
            do throws(ImportRowError) {
                let row = try ImportRow(row, columns: columns, source: source)
                switch source {
                case .lockstep: history.append(row)
                case .goodtime: try take(GoodtimeSession(row, zone: zone), colours, &known)
                case .toggl: try take(TogglSession(row, zone: zone), colours, &known)
                }
            } catch {
                problems.append(Problem(line: row.line, column: error.column, reason: error.reason))
                guard problems.count <= Self.problemsLimit else { throw .hopeless(source) }
            }
        }
        takeHistory(history)
        problems.sort { $0.line < $1.line }
    }

    private mutating func take(
        _ session: some ForeignSession, _ colours: [String: Colour], _ known: inout Set<SessionID>
    ) throws(ImportRowError) {
        let record = try session.record(of: source, colours: colours, now: now)
        guard known.insert(record.id).inserted else {
            repeated += 1
            return
        }
        records.append(record)
        if session.isShortened { shortened += 1 }
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

/// The programs whose files can be imported.
package enum ImportSource: String, CaseIterable, Sendable {
    case lockstep, goodtime, toggl

    /// The name shown to people.
    package var name: String {
        switch self {
        case .lockstep: "lockstep history --csv"
        case .goodtime: "Goodtime"
        case .toggl: "Toggl Track"
        }
    }

    /// The node ID given to imported sessions; `nil` if they keep their own.
    package var node: NodeID? { self == .lockstep ? nil : NodeID("imported-\(rawValue)") }

    /// Returns the source whose imported sessions carry a node ID; `nil` if none does.
    package init?(node: NodeID) {
        guard let source = Self.allCases.first(where: { $0.node == node }) else { return nil }
        self = source
    }

    /// The columns required of a file, one set for each known version of its format.
    package var columns: [[String]] {
        switch self {
        case .lockstep: [HistoryCSV.needed]
        // The formats of 2018 to 2023, of the first versions since, and of today.
        case .goodtime:
            [
                ["time-of-completion", "duration", "label"], ["start", "end", "duration", "label", "notes", "work"],
                ["end", "duration", "interruptions", "label", "notes", "is_break"],
            ]
        // The old and the current detailed report.
        case .toggl:
            [
                ["Description", "Start date", "Start time", "End date", "End time"],
                ["Description", "Start date", "Start time", "Stop date", "Stop time"],
            ]
        }
    }

    init?(header: [String]) {
        let names = Set(header)
        let found = Self.allCases.first { source in source.columns.contains { names.isSuperset(of: $0) } }
        guard let found else { return nil }
        self = found
    }
}

/// An error that stops the import of a whole file.
package enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is empty.
    case empty
    /// The columns in the first line are unknown.
    case unknown([String])
    /// Far too many rows cannot be read.
    case hopeless(ImportSource)

    /// The problem, and the columns that are accepted.
    package var description: String {
        switch self {
        case .empty: return "the file is empty"
        case .hopeless(let source):
            return "thousands of rows are none of \(source.name): is this the right file?"
        case .unknown(let header):
            let known = ImportSource.allCases.flatMap { source in
                source.columns.map { "  \(source.name): \($0.joined(separator: ","))" }
            }
            let shown = header.joined(separator: ",").unicodeScalars.filter(CleanText.isClean).prefix(200)
            return "unknown columns in the first line: \(String(String.UnicodeScalarView(shown)))\n"
                + "A file needs one of these sets of columns:\n" + known.joined(separator: "\n")
        }
    }
}
