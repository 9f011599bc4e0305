// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Runtime
import Session
import Settings

let recordingNode: ArgumentHelp =
    "The node that recorded it, if several nodes have recorded a session with this id."

extension LedgerAccessOptions.Opened {
    /// Finds the session with an id, also if it is deleted.
    /// - Parameter name: The node that recorded the session; needed only if several nodes use the id.
    func find(_ text: String, on name: String?) throws -> Entry {
        let id = SessionID(text)
        let nodes = try id.map { try ledger.nodes(of: $0, in: space) } ?? []
        let meant = nodes.filter { name == nil || $0.rawValue == name }
        guard meant.count <= 1 else {
            let names = meant.map(\.rawValue).joined(separator: ", ")
            throw UsageError("several nodes have recorded a session \(text): name one with --recorded-on (\(names))")
        }
        guard let id, let node = meant.first,
            let entry = try ledger.entryBeforeDeletion(LedgerRecord.Key(node: node, session: id), of: space)
        else {
            let place = name.map { " of \($0)" } ?? ""
            throw UsageError("there is no session \(text)\(place) in the ledger of \(space)")
        }
        return entry
    }

    /// Names a session for a person: its beginning and its title.
    func line(of entry: Entry, titled title: String) -> String {
        let begin = entry.record.runs.first?.from ?? entry.record.startedAt
        return "\(history.latest.zone.text(of: begin)) \(title.isEmpty ? "–" : title)"
    }

    func correct(_ key: LedgerRecord.Key, to content: Correction.Content?) throws {
        let now = Clocks.now().told
        try ledger.correct(key, to: content, id: ULID.make(at: now), at: now, in: space)
    }
}
