// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// What is wrong with a row.
struct ImportFlaw: Error {
    var column: String?
    var reason: String

    init(_ column: String?, _ reason: String) {
        self.column = column
        self.reason = reason
    }
}

/// The names of a file's columns; of two of one name the first is meant.
struct ImportColumns {
    private let indices: [String: Int]
    let count: Int

    init(_ names: [String]) {
        indices = Dictionary(zip(names, names.indices)) { first, _ in first }
        count = names.count
    }

    subscript(name: String) -> Int? { indices[name] }
}

/// A row with the names of its columns.
struct ImportRow {
    let line: Int
    private let fields: [String]
    private let columns: ImportColumns

    init(_ row: CSVReader.Row, columns: ImportColumns, source: ImportSource) throws(ImportFlaw) {
        if let flaw = row.flaw { throw ImportFlaw(nil, flaw) }
        var fields = row.fields
        if source == .goodtime, let notes = columns["notes"], fields.count > columns.count {
            // It quotes nothing, so what is too much was between commas of the notes.
            let count = fields.count - columns.count + 1
            let whole = fields[notes..<notes + count].joined(separator: ",")
            fields.replaceSubrange(notes..<notes + count, with: [whole])
        }
        guard fields.count == columns.count else {
            throw ImportFlaw(nil, "it has \(fields.count) fields, and the first line \(columns.count)")
        }
        line = row.line
        self.fields = fields
        self.columns = columns
    }

    /// What stands in a column; empty where there is none.
    subscript(name: String) -> String { columns[name].map { fields[$0] } ?? "" }

    /// Reads what stands in a column.
    func read<Value>(_ name: String, _ what: String, _ convert: (String) -> Value?) throws(ImportFlaw) -> Value {
        guard let value = convert(self[name]) else {
            throw ImportFlaw(
                name, self[name].isEmpty ? "it is empty; it takes \(what)" : "“\(shown(name))” is not \(what)")
        }
        return value
    }

    /// The same where it may be empty.
    func readIfGiven<Value>(
        _ name: String, _ what: String, _ convert: (String) -> Value?
    ) throws(ImportFlaw) -> Value? { self[name].isEmpty ? nil : try read(name, what, convert) }

    private func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(self[name].unicodeScalars.prefix(60).filter(CleanText.isClean)))
    }
}

/// A session as another program tells of it.
protocol ForeignSession {
    var from: Int64 { get }
    var to: Int64 { get }
    var kind: PhaseKind { get }
    var title: String { get }
    /// Empty for none.
    var label: String { get }
    var timeColumn: String { get }
    /// What tells it from all others of its program, in every zone.
    var identity: [String] { get }
}

extension ForeignSession {
    var isShortened: Bool {
        Self.clean(title, bytes: .max) != Self.clean(title, bytes: Limits.titleBytes)
            || Self.clean(label, bytes: .max) != Self.clean(label, bytes: Limits.nameBytes)
    }

    func record(of source: ImportSource, colours: [String: Colour]) throws(ImportFlaw) -> LedgerRecord {
        let content = identity.joined(separator: "\u{1F}")
        guard let node = source.node, let id = SessionID(source: source.rawValue, content: content) else {
            throw ImportFlaw(nil, "it has no name")
        }
        let name = Self.clean(label, bytes: Limits.nameBytes)
        let record = LedgerRecord(
            id: id, lineage: id, node: node, stamp: Stamp(time: from, counter: 0, node: node),
            version: Version(epoch: 0, rev: 1), title: Self.clean(title, bytes: Limits.titleBytes),
            label: name.isEmpty ? nil : Label(name: name, colour: colours[name] ?? .grey), mode: .countdown,
            status: .completed, startedAt: from, runs: [LedgerRecord.Run(kind: kind, from: from, to: to)])
        guard record.flaw == nil else { throw ImportFlaw(timeColumn, "it lies before 1970 or behind 2200") }
        return record
    }

    /// On one line, without what a terminal would take for a command, and no longer than it may be.
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
