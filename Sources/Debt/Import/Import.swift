// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

/// What a file of another program, or of another ledger, says of sessions.
public struct Import: Sendable {
    /// A row that cannot be taken, and why.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The line that the row begins on, from 1.
        public var line: Int
        /// The column; `nil` where it is the row as a whole.
        public var column: String?
        /// What is wrong.
        public var reason: String

        /// `line 3, Start date: …`.
        public var description: String { "line \(line)\(column.map { ", \($0)" } ?? ""): \(reason)" }
    }

    /// Whose file it is.
    public let source: ImportSource
    /// The sessions, each once.
    public private(set) var records: [LedgerRecord] = []
    /// What persons have said of them.
    public private(set) var corrections: [Correction] = []
    /// How calm they were.
    public private(set) var calm: [CalmFeed] = []
    /// The rows that cannot be taken, in their order.
    public private(set) var problems: [Problem] = []
    /// Titles and names of labels that were longer than Lockstep keeps them, and were cut.
    public private(set) var shortened = 0
    /// Rows that say what another one says already.
    public private(set) var repeated = 0

    /// Reads a file.
    /// - Parameters:
    ///   - csv: Its content.
    ///   - zone: Whose clocks it tells times by, where it does not say so.
    ///   - colours: The colours of labels that are known.
    ///   - progress: Is told now and then how much is read, of 1.
    /// - Throws: ``ImportError`` where it is no file that is known.
    public init(
        csv: [UInt8], zone: Zone, colours: [String: Colour] = [:], progress: (Double) -> Void = { _ in }
    ) throws(ImportError) {
        var reader = CSVReader(csv)
        guard let header = reader.next() else { throw .empty }
        // A spreadsheet may have left spaces and empty columns.
        let names = header.fields.map(Self.trimmed)
        guard header.flaw == nil, let source = ImportSource(header: names) else { throw .unknown(names) }
        self.source = source
        // Goodtime quotes nothing, whatever is in its notes; a spreadsheet that has read its file and saved it does.
        reader.isQuoted = source != .goodtime || reader.hasQuotesInFirstLine
        let columns = ImportColumns(names)
        var history: [ImportRow] = []
        var known: Set<SessionID> = []
        var number = 0
        while let row = reader.next() {
            number += 1
            if number % 5_000 == 0 { progress(reader.progress) }
            do throws(ImportFlaw) {
                let row = try ImportRow(row, columns: columns, source: source)
                switch source {
                case .lockstep: history.append(row)
                case .goodtime: try take(GoodtimeSession(row, zone: zone), colours, &known)
                case .toggl: try take(TogglSession(row, zone: zone), colours, &known)
                }
            } catch {
                problems.append(Problem(line: row.line, column: error.column, reason: error.reason))
            }
        }
        takeHistory(history)
        problems.sort { $0.line < $1.line }
    }

    private mutating func take(
        _ session: some ForeignSession, _ colours: [String: Colour], _ known: inout Set<SessionID>
    ) throws(ImportFlaw) {
        let record = try session.record(of: source, colours: colours)
        guard known.insert(record.id).inserted else {
            repeated += 1
            return
        }
        records.append(record)
        if session.isShortened { shortened += 1 }
    }

    private mutating func takeHistory(_ rows: [ImportRow]) {
        // One session's rows are of one piece: with one of them missing its minutes would be others.
        var (groups, order): ([String: [ImportRow]], [String]) = ([:], [])
        for row in rows {
            // Two nodes may have recorded a session of one id.
            let session = "\(row["session"]) \(row["node"])"
            if groups[session] == nil { order.append(session) }
            groups[session, default: []].append(row)
        }
        for session in order {
            let group = groups[session] ?? []
            do throws(HistoryFlaw) {
                let found = try HistorySession(group)
                records.append(found.record)
                corrections += found.corrections
                if let percent = found.calm { calm.append(percent) }
            } catch {
                problems.append(Problem(line: error.line, column: error.flaw.column, reason: error.flaw.reason))
            }
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Whose files can be read.
public enum ImportSource: String, CaseIterable, Sendable {
    case lockstep, goodtime, toggl

    /// Its name for people.
    public var name: String {
        switch self {
        case .lockstep: "lockstep history --csv"
        case .goodtime: "Goodtime"
        case .toggl: "Toggl Track"
        }
    }

    /// The node that imported sessions are said to be of; `nil` for those that keep their own.
    public var node: NodeID? { self == .lockstep ? nil : NodeID("imported-\(rawValue)") }

    /// Where the sessions of a node were imported from; `nil` where they were not.
    public init?(node: NodeID) {
        guard let source = Self.allCases.first(where: { $0.node == node }) else { return nil }
        self = source
    }

    /// The columns that a file needs, one set for each of the forms that there are.
    public var columns: [[String]] {
        switch self {
        case .lockstep: [HistoryCSV.needed]
        // Of 2018 to 2023, of the first of those since, and of the present one.
        case .goodtime:
            [
                ["time-of-completion", "duration", "label"], ["start", "end", "duration", "label", "notes", "work"],
                ["end", "duration", "interruptions", "label", "notes", "is_break"],
            ]
        // The detailed report, as it was and as it is.
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

/// Why a file cannot be read at all.
public enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is nothing in it.
    case empty
    /// Its first line names columns that nobody knows.
    case unknown([String])

    /// Says what would be right.
    public var description: String {
        switch self {
        case .empty: return "there is nothing in it"
        case .unknown(let header):
            let known = ImportSource.allCases.flatMap { source in
                source.columns.map { "  \(source.name): \($0.joined(separator: ","))" }
            }
            let shown = header.joined(separator: ",").unicodeScalars.filter(CleanText.isClean).prefix(200)
            return "its first line names no columns that are known: \(String(String.UnicodeScalarView(shown)))\n"
                + "Known are files with these columns:\n" + known.joined(separator: "\n")
        }
    }
}
