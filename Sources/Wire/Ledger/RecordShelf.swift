// SPDX-License-Identifier: Apache-2.0

public import Session

/// Where an ``Outbox`` keeps its records: those that wait, and those that were acknowledged.
public protocol RecordShelf {
    /// Why a record could not be put there.
    associatedtype Failure: Error

    /// What an earlier process has left.
    func load() -> (waiting: [FiledRecord], kept: [FiledRecord])

    /// Puts a record where it outlives the process, in place of an earlier one of its session.
    mutating func write(waiting filed: FiledRecord) throws(Failure)

    /// A record that waits was acknowledged.
    mutating func keep(_ id: SessionID) throws(Failure)

    /// A record that was acknowledged has to be sent again. Should that be forgotten, it is asked for again.
    mutating func unkeep(_ id: SessionID)

    /// Reads a record that was acknowledged; `nil` when it is gone.
    func readKept(_ id: SessionID) -> FiledRecord?

    /// Throws a record away that was never true. Should that be forgotten, it is found out again.
    mutating func remove(waiting id: SessionID)

    /// Throws a record away that was acknowledged long ago.
    mutating func remove(kept id: SessionID)
}

/// What an ``Outbox`` has to say to whoever looks after its machine.
public enum OutboxNote: Sendable {
    /// An acknowledged record could not be put away.
    case notPutAway(any Error)
    /// The ledger does not take a record.
    case notTaken(SessionID, LedgerAck.Outcome)
}
