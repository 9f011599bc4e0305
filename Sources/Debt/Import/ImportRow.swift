// SPDX-License-Identifier: Apache-2.0

import Session

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

    init(_ row: CSVReader.Row, columns: ImportColumns) throws(ImportRowError) {
        if let error = row.invalidField { throw ImportRowError(nil, error) }
        let count = row.fields.count
        guard count == columns.count else {
            throw ImportRowError(nil, "\(count) field\(count == 1 ? "" : "s"), but the first line has \(columns.count)")
        }
        line = row.line
        fields = row.fields
        self.columns = columns
    }

    subscript(name: String) -> String { columns[name].map { fields[$0] } ?? "" }

    /// Converts the field in a column, or throws an error that names the expected value `what`.
    func read<Value>(_ name: String, _ what: String, _ convert: (String) -> Value?) throws(ImportRowError) -> Value {
        guard let value = convert(self[name]) else {
            throw ImportRowError(
                name, self[name].isEmpty ? "empty, expected \(what)" : "“\(shown(name))” is not \(what)")
        }
        return value
    }

    func readIfGiven<Value>(
        _ name: String, _ what: String, _ convert: (String) -> Value?
    ) throws(ImportRowError) -> Value? { self[name].isEmpty ? nil : try read(name, what, convert) }

    private func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(self[name].unicodeScalars.prefix(60).filter(CleanText.isClean)))
    }
}
