// SPDX-License-Identifier: Apache-2.0

/// What the engine asks the shell to do, in this order. Its large contents are held by reference, since it is handed on
/// often.
public enum Effect: Hashable, Sendable {
    /// Put the journal on disk, then answer with ``Input/journalled(_:)`` or ``Input/journalFailed(_:)`` and the
    /// same number. Nothing that a journal must hold is published before that answer.
    indirect case journal(Journal, write: Int)
    /// Put the ledger record of a register into the outbox; always before the journal that goes with it. It is not told
    /// before that journal is on disk, and it is on disk before a journal is written that says nothing of its session any
    /// more.
    case record(Register, isApproximate: Bool)
    /// Publish on this node's own topic; only ever asked for while the link is up. A failure needs no report: what
    /// matters is published again from present state after the next connection.
    case publish(Message)
    /// Send a message to oneself behind all subscriptions, and answer with ``Input/barrierPassed(_:)`` when it is back.
    case barrier(ConnectionID)
    /// Tell the program that asked.
    indirect case reply(Ticket, Reply)
    /// Say something in the log.
    indirect case log(Note)
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
    /// This node continues a session of another one, as a session of its own.
    case tookOver(SessionID, from: NodeID)
    /// A message of a node was not used; said once for each sender and reason.
    case discarded(Discard, from: NodeID?)
    /// A register's stamp is too far from group time to be admitted.
    case clockWrong(NodeID, stamp: Int64)
    /// This machine's clock is wrong by so many milliseconds; group time is that of the others.
    case clockCorrected(by: Int64)
    /// The own session was stamped by another group time, and is stamped again: both times in milliseconds.
    case stampedAnew(SessionID, from: Int64, to: Int64)
    /// A session that began and ended without contact was not announced.
    case keptToItself(SessionID)
    /// The broker held an older register of this node than the node itself, which is put right.
    case repaired(Version)
    /// The journal was gone, and this node's register was found on the broker.
    case recovered(SessionID)
    /// The broker has delivered no retained message before the barrier; peers are asked to say it again.
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
    /// The mark before the own session was stamped: what its stamp has to stay above.
    public var base: HybridClock
    /// Whether the own session was started without contact and nobody has heard of it.
    public var isProvisional: Bool
    /// Whether the dates of ``own`` are a guess: no kernel has vouched for group time since it began.
    public var isGuess: Bool
    /// Of a provisional session: this node's register that the others know, ended by it.
    public var before: Register?
    /// Whether the dates of ``before`` are a guess.
    public var isGuessBefore: Bool
    /// Whether some of the own session was rebuilt by date, because its machine was booted while it ran, or it was taken
    /// over before the clocks were compared; or clocks that kernels vouch for contradicted each other while it lived.
    public var isApproximate: Bool

    /// Makes a journal.
    public init(
        epoch: Int = 1, mark: HybridClock = HybridClock(), own: Register? = nil, past: [SessionID] = [],
        base: HybridClock = HybridClock(), isProvisional: Bool = false, isGuess: Bool = false,
        before: Register? = nil, isGuessBefore: Bool = false, isApproximate: Bool = false
    ) {
        self.epoch = epoch
        self.mark = mark
        self.own = own
        self.past = past
        self.base = base
        self.isProvisional = isProvisional
        self.isGuess = isGuess
        self.before = before
        self.isGuessBefore = isGuessBefore
        self.isApproximate = isApproximate
    }
}
