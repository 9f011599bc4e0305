// SPDX-License-Identifier: Apache-2.0

/// A step for the caller, which must carry out all steps of an input, in order, before the next input.
public enum Effect: Hashable, Sendable {
    /// Write the journal to disk, then answer with ``Engine/noteWritten(_:at:)`` or ``Input/journalFailed(_:)`` and the
    /// same number. Nothing that a journal must hold is published before that answer.
    indirect case journal(Journal, write: Int)
    /// Keep the ledger record of a register; comes before the journal that contains the register. It must not be sent
    /// before that journal is on disk, and must be on disk before a journal without its session is written.
    indirect case record(Register, isApproximate: Bool)
    /// Publish on this node's own topic. Without a connection only answers are published: they wait for the next
    /// connection as long as the asker can use them. The failure of another message needs no report, since present
    /// state is published again on each connection.
    case publish(Message)
    /// Send a message to this node after all subscriptions. When it returns, answer with ``Input/barrierPassed(_:)``.
    case barrier(ConnectionID)
    indirect case reply(Ticket, Reply)
    indirect case log(EngineNote)
}

/// The answer to a person's request.
public enum Reply: Hashable, Sendable {
    case answered(Answer)
    /// The owner of this session did not answer within 5 s.
    case noAnswer(SessionID)
    case noSession
    /// The field with this name is out of bounds.
    case invalid(String)
    /// The role of this node does not allow it.
    case notPermitted
}

/// An event of the engine for the log. The caller writes the text.
public enum EngineNote: Hashable, Sendable {
    /// This node lost its session to a later start.
    case superseded(SessionID, by: Superseder)
    /// This node continued another node's session as a session of its own.
    case tookOver(SessionID, from: NodeID)
    /// Logged once for each sender and reason. `from` is `nil` if the sender is unknown.
    case discarded(Discard, from: NodeID?)
    /// The stamp of a node's register is too far from group time.
    case clockWrong(NodeID, stamp: GroupTime)
    /// Group time has jumped, or begins apart from this machine's wall clock. `by` is group time minus that clock: near
    /// 0 if the two agree again.
    case clockCorrected(by: Milliseconds)
    /// The own session got a new stamp: both stamps' times.
    case restamped(SessionID, from: GroupTime, to: GroupTime)
    /// A session that began and ended without contact was not announced.
    case notAnnounced(SessionID)
    /// The broker kept an older register of this node, which is published again.
    case repaired(Version)
    /// The journal was lost, and this node's register was found on the broker.
    case recovered(SessionID)
    /// The broker delivered no retained message before the barrier; peers are asked to publish again.
    case noRetained
    /// Writing the journal began to fail, or works again.
    case journal(works: Bool)
}
