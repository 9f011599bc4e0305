// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The records that are held until their journal is on disk, in the order of their changes.
struct UnwrittenRecords: Sendable {
    private var records: [Unwritten] = []

    /// A version of a session, and the write of the journal that will contain it.
    private struct Unwritten {
        let register: Register
        let isApproximate: Bool
        /// The write of the journal that contains it; `nil` until that is asked for.
        var write: Int?
        var place = RecordPlace.journal
        /// The record, which is encoded once.
        lazy var digested = DigestedRecord(LedgerRecord(register, isApproximate: isApproximate))

        func isContained(in latest: Int) -> Bool { write.map { $0 <= latest } ?? false }
    }

    mutating func add(_ register: Register, isApproximate: Bool) {
        records.append(Unwritten(register: register, isApproximate: isApproximate))
    }

    func contains(_ id: SessionID) -> Bool { records.contains { $0.register.id == id } }

    /// Assigns the records to a write, unless an earlier one contains them. Returns the unfiled ones of other sessions.
    mutating func file(except own: SessionID?, write: Int) -> [DigestedRecord] {
        var unfiled: [DigestedRecord] = []
        for index in records.indices {
            records[index].write = records[index].write ?? write
            guard !records[index].place.isFile, records[index].register.id != own else { continue }
            unfiled.append(records[index].digested)
            records[index].place.beginWriting(write)
        }
        return unfiled
    }

    /// Removes the records of a write that is on disk, like all before it. Of several versions the last is returned.
    mutating func removeWritten(by write: Int) -> [(digested: DigestedRecord, isFiled: Bool)] {
        for index in records.indices where records[index].place.isWritten(by: write) { records[index].place = .file }
        var written: [(digested: DigestedRecord, isFiled: Bool)] = []
        while var first = records.first, first.isContained(in: write) {
            records.removeFirst()
            if let next = records.first, next.register.id == first.register.id, next.isContained(in: write) { continue }
            written.append((first.digested, first.place.isFile))
        }
        return written
    }
}
