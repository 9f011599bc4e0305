// SPDX-License-Identifier: Apache-2.0

import Session

/// A row whose fields are found by column name.
struct ImportRow {
    let line: Int
    let fields: [String]
    let columns: [String: Int]

    subscript(name: String) -> String { columns[name].map { fields[$0] } ?? "" }

    func problem(_ column: String?, _ reason: String) -> Import.RowError {
        Import.RowError(line: line, column: column, reason: reason)
    }

    /// Converts the field in a column, or throws an error that names the `wanted` value.
    func read<Value>(_ name: String, _ wanted: String, _ convert: (String) -> Value?) throws(Import.RowError) -> Value {
        guard let value = convert(self[name]) else {
            throw problem(name, self[name].isEmpty ? "empty, expected \(wanted)" : "“\(shown(name))” is not \(wanted)")
        }
        return value
    }

    func readIfGiven<Value>(
        _ name: String, _ wanted: String, _ convert: (String) -> Value?
    ) throws(Import.RowError) -> Value? { self[name].isEmpty ? nil : try read(name, wanted, convert) }

    private func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(self[name].unicodeScalars.prefix(60).filter(CleanText.isClean)))
    }
}
