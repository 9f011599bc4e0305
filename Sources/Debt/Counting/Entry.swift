// SPDX-License-Identifier: Apache-2.0

import Ledger
package import Session

/// A session in the ledger: its latest record with the latest correction applied.
package struct Entry: Hashable, Sendable {
    /// The record; title, label and runs are those of ``correction`` if there is one.
    package var record: LedgerRecord
    package var correction: Correction?
    /// When a gone node was last seen: an open run of a count-up ends there.
    package var lastSignOfLife: GroupTime?
    /// When the ledger received the session's first record.
    package var firstReceivedAt: GroupTime
    /// When the ledger received the session's first final record; `nil` while it has none.
    package var finalReceivedAt: GroupTime?

    /// Creates an entry and applies the correction. A deleted session keeps its takeover, but no runs.
    package init(
        _ record: LedgerRecord, corrected correction: Correction? = nil, lastSignOfLife: GroupTime? = nil,
        firstReceivedAt: GroupTime = 0, finalReceivedAt: GroupTime? = nil
    ) {
        self.record = record
        self.firstReceivedAt = firstReceivedAt
        self.finalReceivedAt = finalReceivedAt
        self.correction = correction
        self.lastSignOfLife = record.mode == .countup ? lastSignOfLife : nil
        guard let correction else { return }
        self.record.runs = correction.content?.runs ?? []
        // A record has no plan, so the overtime of corrected runs cannot be computed.
        if self.record.runs != record.runs { self.record.over = 0 }
        self.record.endsAt = nil
        guard let content = correction.content else { return }
        self.record.title = content.title
        self.record.label = content.label
    }

    /// Returns the end of a run, the planned one if it is open; `nil` if unknown.
    package func end(of run: LedgerRecord.Run) -> GroupTime? {
        if let to = run.to { return to }
        guard let lastSignOfLife else { return record.endsAt }
        return max(run.from, min(record.endsAt ?? lastSignOfLife, lastSignOfLife))
    }

    var filedPart: FiledPart {
        FiledPart(record.lineagePart, firstReceivedAt: firstReceivedAt, finalReceivedAt: finalReceivedAt)
    }

    package var isDeleted: Bool { correction.map { $0.content == nil } ?? false }
}
