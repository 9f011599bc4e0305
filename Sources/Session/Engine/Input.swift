// SPDX-License-Identifier: Apache-2.0

/// Everything that can happen to a node. Its large contents are held by reference, since it is handed on often.
public enum Input: Hashable, Sendable {
    /// The journal was read, or there was none. The first input of an engine's life, exactly once. Its register has no
    /// ``Register/flaw``.
    indirect case restored(Journal?)
    /// A person on this machine starts a session. `id` is new.
    indirect case start(Start, id: SessionID, ticket: Ticket)
    /// A person on this machine asks something of the current session. `id` is new.
    indirect case press(Press, id: IntentID, ticket: Ticket)
    /// A person on this machine moves the current session here. `id` is new.
    indirect case take(id: IntentID, ticket: Ticket)
    /// The asking program went away; its ticket gets no reply any more.
    case hangUp(Ticket)
    /// The broker accepted a connection, made under this id.
    case linkUp(ConnectionID)
    /// The connection is gone.
    case linkDown
    /// The machine is about to suspend, or is awake again.
    case sleeping(Bool)
    /// What the broker had retained when the barrier was asked for has arrived.
    case barrierPassed(ConnectionID)
    /// A well-formed message of a node: a register in it has no ``Register/flaw``. `retained` is the broker's flag.
    case received(Message, from: NodeID, retained: Bool)
    /// Somebody deleted what this node, or another, had retained with an empty payload.
    case erased(from: NodeID)
    /// A message that was not well-formed; `from` is `nil` when not even its topic names a node.
    case discarded(Discard, from: NodeID?)
    /// The journal of this number is on disk.
    case journalled(Int)
    /// The journal of this number could not be written.
    case journalFailed(Int)
    /// The instant asked for by ``Engine/nextWake`` has come.
    case wake
}

/// Connects a request with its reply; the shell's to choose, never reused.
public typealias Ticket = Int

/// What a person wants to start.
public struct Start: Hashable, Sendable {
    /// What the person does; may be empty.
    public var title: String
    /// An emoji or the name of a built-in drawing.
    public var icon: String?
    /// What the time is booked on.
    public var label: Label?
    /// Down or up.
    public var mode: Mode
    /// The phases; ignored for a count-up session but for the first one's kind.
    public var plan: [Phase]
    /// Whether phases follow each other by themselves.
    public var autoAdvance: Bool

    /// Makes a request.
    public init(
        title: String = "", icon: String? = nil, label: Label? = nil, mode: Mode = .countdown, plan: [Phase],
        autoAdvance: Bool = false
    ) {
        self.title = title
        self.icon = icon
        self.label = label
        self.mode = mode
        self.plan = plan
        self.autoAdvance = autoAdvance
    }
}

/// What a person asks of the session in front of them.
public struct Press: Hashable, Sendable {
    /// What is asked.
    public var operation: Operation
    /// The session that the person saw; `nil` for whichever is current.
    public var session: SessionID?
    /// The phase that the person saw; `nil` for the current one.
    public var phase: Int?

    /// Makes a press.
    public init(_ operation: Operation, session: SessionID? = nil, phase: Int? = nil) {
        self.operation = operation
        self.session = session
        self.phase = phase
    }
}
