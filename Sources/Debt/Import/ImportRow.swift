// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// A problem with a row, in one column or as a whole.
struct ImportRowError: Error {
    var column: String?
    var reason: String

    init(_ column: String?, _ reason: String) {
        self.column = column
        self.reason = reason
    }
}

/// The column names of a file; the first of two equal names wins.
struct ImportColumns {
    private let indices: [String: Int]
    let count: Int

    init(_ names: [String]) {
        indices = Dictionary(zip(names, names.indices)) { first, _ in first }
        count = names.count
    }

    subscript(name: String) -> Int? { indices[name] }
}

/// A row whose fields are found by column name.
struct ImportRow {
    let line: Int
    private let fields: [String]
    private let columns: ImportColumns

    init(_ row: CSVReader.Row, columns: ImportColumns, source: ImportSource) throws(ImportRowError) {
        if let error = row.invalidField { throw ImportRowError(nil, error) }
        var fields = row.fields
        if source == .goodtime, let notes = columns["notes"], fields.count > columns.count {
            // Goodtime does not quote, so the extra fields are commas in the notes.
            let count = fields.count - columns.count + 1
            let whole = fields[notes..<notes + count].joined(separator: ",")
            fields.replaceSubrange(notes..<notes + count, with: [whole])
        }
        guard fields.count == columns.count else {
            throw ImportRowError(
                nil, "\(fields.count) field\(fields.count == 1 ? "" : "s"), but the first line has \(columns.count)")
        }
        line = row.line
        self.fields = fields
        self.columns = columns
    }

    /// Returns the field in a column; empty if the column is missing.
    subscript(name: String) -> String { columns[name].map { fields[$0] } ?? "" }

    /// Converts the field in a column, or throws an error that names the expected value `what`.
    func read<Value>(_ name: String, _ what: String, _ convert: (String) -> Value?) throws(ImportRowError) -> Value {
        guard let value = convert(self[name]) else {
            throw ImportRowError(
                name, self[name].isEmpty ? "empty, expected \(what)" : "“\(shown(name))” is not \(what)")
        }
        return value
    }

    /// Converts the field in a column; `nil` if it is empty.
    func readIfGiven<Value>(
        _ name: String, _ what: String, _ convert: (String) -> Value?
    ) throws(ImportRowError) -> Value? { self[name].isEmpty ? nil : try read(name, what, convert) }

    private func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(self[name].unicodeScalars.prefix(60).filter(CleanText.isClean)))
    }
}

/// A session of another program.
protocol ForeignSession {
    var from: Int64 { get }
    var to: Int64 { get }
    var kind: PhaseKind { get }
    var title: String { get }
    /// The name of the label; empty for none.
    var label: String { get }
    var timeColumn: String { get }
    /// The fields that identify it among all sessions of its program, independent of the zone.
    var identity: [String] { get }
}

extension ForeignSession {
    var isShortened: Bool {
        Self.clean(title, bytes: .max) != Self.clean(title, bytes: Limits.titleBytes)
            || Self.clean(label, bytes: .max) != Self.clean(label, bytes: Limits.nameBytes)
    }

    func record(
        of source: ImportSource, colours: [String: Colour], now: Int64
    ) throws(ImportRowError) -> LedgerRecord {
        let content = identity.joined(separator: "\u{1F}")
        guard let node = source.node, let id = SessionID(source: source.rawValue, content: content) else {
            throw ImportRowError(nil, "the session has no ID")
        }
        let name = Self.clean(label, bytes: Limits.nameBytes)
        let begin = GroupTime(from)
        let record = LedgerRecord(
            id: id, lineage: id, node: node, stamp: Stamp(time: begin, counter: 0, node: node),
            version: Version(epoch: 0, rev: 1), title: Self.clean(title, bytes: Limits.titleBytes),
            label: name.isEmpty ? nil : Label(name: name, colour: colours[name] ?? .grey), mode: .countdown,
            status: .completed, startedAt: begin, runs: [LedgerRecord.Run(kind: kind, from: begin, to: GroupTime(to))])
        guard record.invalidField == nil else { throw ImportRowError(timeColumn, "not between 1970 and 2200") }
        if let problem = RunTimes.problem(from: from, to: to, now: now) { throw ImportRowError(timeColumn, problem) }
        return record
    }

    /// Returns the text on one line, without control characters, shortened to `limit` bytes.
    private static func clean(_ text: String, bytes limit: Int) -> String {
        var clean = ""
        var size = 0
        for character in text {
            let isClean = character.unicodeScalars.allSatisfy(CleanText.isClean)
            let next = isClean ? character : " "
            if next == " ", clean.isEmpty || clean.last == " " { continue }
            size += next.utf8.count
            if size > limit { break }
            clean.append(next)
        }
        while clean.last == " " { clean.removeLast() }
        return clean
    }
}
