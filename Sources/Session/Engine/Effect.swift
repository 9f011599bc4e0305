// SPDX-License-Identifier: Apache-2.0

/// What the engine asks the shell to do, in this order.
public enum Effect: Hashable, Sendable {
    /// Put the journal on disk, then answer with ``Input/journalled(_:)`` or ``Input/journalFailed(_:)`` and the
    /// same number. Nothing that a journal must hold is published before that answer.
    indirect case journal(Journal, write: Int)
    /// Publish on this node's own topic; only ever asked for while the link is up. A failure needs no report: what
    /// matters is published again from present state after the next connection.
    case publish(Message)
    /// Send a message to oneself behind all subscriptions, and answer with ``Input/barrierPassed(_:)`` when it is back.
    case barrier(ConnectionID)
    /// Tell the program that asked.
    indirect case reply(Ticket, Reply)
    /// Say something in the log.
    case log(Note)
}

/// What a person's request came to.
public enum Reply: Hashable, Sendable {
    /// The answer, from this node itself or from the owner.
    case answered(Answer)
    /// The owner did not answer in time.
    case noAnswer(SessionID)
    /// There is no live session.
    case noSession
    /// What was to be started is out of bounds; the field's name.
    case invalid(String)
}

/// Something worth a line in the log; the shell finds the words.
public enum Note: Hashable, Sendable {
    /// This node lost its session to a later start.
    case superseded(SessionID, by: Superseder)
    /// A message of a node was not used; said once for each sender and reason.
    case discarded(Discard, from: NodeID?)
    /// A register's stamp is too far from group time to be admitted.
    case clockWrong(NodeID, stamp: Int64)
    /// The broker held an older register of this node than the node itself, which is put right.
    case repaired(Version)
    /// The journal was gone, and this node's register was found on the broker.
    case recovered(SessionID)
    /// The broker does not deliver retained messages to wildcard subscriptions; peers are asked to say it again.
    case noRetained
    /// The journal could not be written, or can be again.
    case journal(works: Bool)
}

/// What must survive the death of the process.
public struct Journal: Hashable, Sendable {
    /// Counts lost journals; 1 for the first.
    public var epoch: Int
    /// The high-water mark of stamps.
    public var mark: HybridClock
    /// This node's register.
    public var own: Register?
    /// The sessions that this node owned before, newest last; intents for them are still answered.
    public var past: [SessionID]

    /// Makes a journal.
    public init(epoch: Int = 1, mark: HybridClock = HybridClock(), own: Register? = nil, past: [SessionID] = []) {
        self.epoch = epoch
        self.mark = mark
        self.own = own
        self.past = past
    }
}
