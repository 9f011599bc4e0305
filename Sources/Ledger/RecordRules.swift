// SPDX-License-Identifier: Apache-2.0

public import Session

// A record meets these checks on its way to the ledger, in this order:
//
// 1. The broker lets a node write only `node/<its id>/record` (`AccessList` of `lockstep broker`, or Config/acl).
// 2. `WireCodec` discards a retained record, which gets no answer. It also discards one of more than
//    `Limits.payloadBytes`, with another `node` than its topic, or with fields out of bounds. `DebtService` answers
//    these with `refused` if it can read the record's name.
// 3. `LedgerIntake.receive` refuses a record with implausible dates (`isPlausible`, below). A record that is only ahead
//    of a group time that no kernel vouches for gets no answer, and comes again.
// 4. `LedgerIntake` drops a record without an answer while 65,536 wait; its node sends it again. `LedgerStore.file` of
//    `Debt` files the others under space, session and node, within the quota of the node (`RecordQuota`). So a record
//    replaces only an earlier one of that node (`FilingResult`, below).
//
// When minutes are counted, a record ends the runs of another session only as a takeover of it. It must name that
// session's node and lineage, have a larger stamp, and not be earlier than 10 s before that session began
// (`LineagePart`). A session whose final record the ledger had before is not cut (`FiledPart`).

/// The result of comparing a record that arrives with the stored record of its session.
public enum FilingResult: Hashable, Sendable {
    /// It is the first of its session, or newer than the stored one.
    case stored
    /// The same record is stored.
    case known
    /// A newer one is stored.
    case older
    /// Another one is stored under the same version, and stays.
    case conflict
    /// It is new, and its node has recorded more sessions than a ledger accepts from one node.
    case overQuota

    /// Compares a record that arrives with the stored record of its session, if there is one.
    public init<Digest: Equatable>(version: Version, digest: Digest, over present: (version: Version, digest: Digest)?)
    {
        guard let present, present.version >= version else {
            self = .stored
            return
        }
        if present.version > version { self = .older } else { self = present.digest == digest ? .known : .conflict }
    }
}

extension LedgerRecord {
    /// Returns whether a node can have recorded it by `now`. Its times are from 2025-12-31 to a day ahead; an open run
    /// ends at most a day and the longest overtime later. Imports of a person are not checked.
    public func isPlausible(at now: GroupTime) -> Bool {
        let past = (Limits.earliestStamp - .days(1))...(max(now, Limits.earliestStamp) + .days(1))
        return past.contains(stamp.time) && past.contains(startedAt) && continuedAt.map(past.contains) ?? true
            && runs.allSatisfy { past.contains($0.from) && $0.to.map(past.contains) ?? true }
            && endsAt.map { (past.lowerBound...past.upperBound + .days(1) + Limits.overtime).contains($0) } ?? true
    }
}
