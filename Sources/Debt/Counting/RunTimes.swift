// SPDX-License-Identifier: Apache-2.0

package import Session

/// The rules for the times of a run that a person or a file states.
package enum RunTimes {
    /// The longest time that a phase can last.
    private static let lengthLimit = Milliseconds.seconds(Int64(Limits.phaseSeconds.upperBound))

    /// Returns why a run is impossible; `nil` if it is possible.
    /// - Parameters:
    ///   - isMerged: Whether it stands for several runs, as the first of ``Limits/runs`` may.
    ///   - now: The present. The clocks of two machines may differ by ``Limits/stampLead``.
    package static func problem(from: GroupTime, to: GroupTime, isMerged: Bool = false, now: GroupTime) -> String? {
        if to > now + Limits.stampLead { return "after the present" }
        if to - from > lengthLimit, !isMerged {
            return "more than \(Limits.phaseHours) hours after the beginning, which no phase lasts"
        }
        return nil
    }

    /// Returns the runs of a session whose beginning or end is corrected. With `from` alone, runs that ended by then
    /// are removed, and the next one begins there. `to` alone does the same at the end. With both, the session has one
    /// run.
    /// - Parameter record: The session, without an open run.
    /// - Returns: `nil` if the session would end before it begins.
    package static func corrected(
        _ record: LedgerRecord, from: GroupTime?, to: GroupTime?, counting kinds: Set<PhaseKind>
    ) -> [LedgerRecord.Run]? {
        var runs = record.runs
        if let from, let to {
            let kind = runs.first { kinds.contains($0.kind) }?.kind ?? .focus
            return from < to ? [LedgerRecord.Run(kind: kind, from: from, to: to)] : nil
        }
        if runs.isEmpty { runs = [LedgerRecord.Run(kind: .focus, from: record.startedAt, to: record.startedAt)] }
        if let from {
            runs.removeAll { ($0.to ?? $0.from) <= from }
            guard !runs.isEmpty else { return nil }
            runs[0].from = from
        }
        if let to {
            runs.removeAll { $0.from >= to }
            guard !runs.isEmpty else { return nil }
            runs[runs.count - 1].to = to
        }
        return runs
    }
}
