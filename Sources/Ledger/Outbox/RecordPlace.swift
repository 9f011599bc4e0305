// SPDX-License-Identifier: Apache-2.0

/// Where a record is on disk.
enum RecordPlace: Sendable {
    /// Nowhere, or in the journal alone.
    case journal
    /// In the journal, and in a file of its own once this write or a later one succeeds.
    case writing(Int)
    case file

    var isFile: Bool { if case .file = self { true } else { false } }

    func isWritten(by write: Int) -> Bool { if case .writing(let first) = self { first <= write } else { false } }
    mutating func beginWriting(_ write: Int) { if case .journal = self { self = .writing(write) } }
}
