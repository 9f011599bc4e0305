// SPDX-License-Identifier: Apache-2.0

package import Session

/// A person's correction or deletion of a session. It is stored beside the unchanged record; the latest one applies.
package struct Correction: Hashable, Sendable {
    /// The fields of a session that a person may correct.
    package struct Content: Hashable, Sendable {
        package var title: String
        package var label: Label?
        /// The runs, oldest first; none is open.
        package var runs: [LedgerRecord.Run]

        package init(title: String, label: Label?, runs: [LedgerRecord.Run]) {
            self.title = title
            self.label = label
            self.runs = runs
        }
    }

    package var id: CorrectionID
    /// The corrected session and the node that recorded it.
    package var key: LedgerRecord.Key
    /// When the person made it.
    package var at: GroupTime
    /// The new content; `nil` deletes the session.
    package var content: Content?

    package init(id: CorrectionID, key: LedgerRecord.Key, at: GroupTime, content: Content?) {
        self.id = id
        self.key = key
        self.at = at
        self.content = content
    }

    /// Returns whether it replaces another correction of the same session. The later one does, and on a tie the larger
    /// id.
    package func replaces(_ other: Correction?) -> Bool {
        guard let other else { return true }
        return (at, id) > (other.at, other.id)
    }
}

package enum CorrectionKind {}
package typealias CorrectionID = Token<CorrectionKind>
