// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Debt

extension LedgerRecord {
    /// A record of the node desk with one run of focus, which began at `from`.
    static func sample(
        _ id: String = "s-1", of node: String = "desk", from begin: GroupTime = 1_800_000_000_000, minutes: Int64 = 25,
        counter: Int = 0, _ change: (inout LedgerRecord) throws -> Void = { _ in }
    ) throws -> LedgerRecord {
        let (session, node) = (try #require(SessionID(id)), try #require(NodeID(node)))
        var record = LedgerRecord(
            id: session, lineage: session, node: node, stamp: Stamp(time: begin, counter: counter, node: node),
            version: Version(epoch: 1, rev: 1), title: "", mode: .countdown, status: .stopped, startedAt: begin,
            runs: [LedgerRecord.Run(kind: .focus, from: begin, to: begin + .minutes(minutes))])
        try change(&record)
        return record
    }
}
