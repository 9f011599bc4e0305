// SPDX-License-Identifier: Apache-2.0

/// An event that an engine handles.
public enum Input: Hashable, Sendable {
    /// The journal was read; `nil` if there was none. The first input of an engine, exactly once. The caller must check
    /// its registers: ``Register/invalidField`` is `nil`. `filed` is the latest version of a record that has a file of
    /// its own: a crash may have undone the write of the journal that goes with it.
    indirect case restored(Journal?, filed: Version? = nil)
    /// A person on this machine starts a session. `id` must be new.
    indirect case start(Start, id: SessionID, ticket: Ticket)
    /// A person on this machine asks for a change of the current session. `id` must be new.
    indirect case press(Press, id: IntentID, ticket: Ticket)
    /// A person on this machine moves the current session here. `id` must be new.
    indirect case take(id: IntentID, ticket: Ticket)
    /// A person on this machine ends the alarm that rings or waits.
    case acknowledge(id: IntentID, ticket: Ticket)
    /// A person on this machine shows a text on all screens for a time. An empty one takes the message back.
    indirect case say(String, for: Milliseconds, id: IntentID, ticket: Ticket)
    /// The asking program ended; its ticket gets no reply any more.
    case hangUp(Ticket)
    /// The broker accepted a connection, made under this id. `hearsItself` states whether it returns this node's
    /// registers: it does not where they are subscribed with *no local*.
    case linkUp(ConnectionID, hearsItself: Bool)
    case linkDown
    /// The machine is about to suspend (`true`), or is awake again.
    case sleeping(Bool)
    /// The barrier of a connection returned, so all messages have arrived that the broker had retained.
    case barrierPassed(ConnectionID)
    /// A well-formed message of a node. `retained` is the broker's flag. The caller must check a register in it.
    case received(Message, from: NodeID, retained: Bool)
    /// A retained message of a node was deleted by an empty payload: its presence, register or notice.
    case erased(from: NodeID, isPresence: Bool)
    /// All nodes are to publish again, because a person needs a session and none is here.
    case sayHello
    /// A program that is no node, such as the calm service, has just named a session.
    case named(SessionID)
    /// A message was discarded before decoding; `from` is `nil` if its topic names no node.
    case discarded(Discard, from: NodeID?)
    case journalFailed(Int)
    /// The time of ``Engine/nextWake`` has come.
    case wake
}

/// Connects a request with its reply. The caller chooses it and never uses it again.
public typealias Ticket = Int

/// A request to start a session.
public struct Start: Hashable, Sendable {
    /// The activity: empty, or 1 to ``Limits/titleBytes`` bytes of clean text.
    public var title: String
    /// An emoji or the name of a built-in drawing: 1 to ``Limits/iconBytes`` bytes of clean text.
    public var icon: String?
    /// The label that the time is booked on; `nil` for the default label.
    public var label: Label?
    /// Whether the time counts down through the plan, or up.
    public var mode: Mode
    /// The phases: 1 to ``Limits/phases``, each valid by ``Phase/isValid``. A count-up uses kind and name of the first.
    public var plan: [Phase]
    /// Whether the next phase starts by itself.
    public var autoAdvance: Bool
    /// Whether an alarm rings where the session waits for a person, and at its end; `nil` for the node's setting.
    public var hasAlarm: Bool?
    /// Whether phases of a countdown go on past their lengths.
    public var hasOvertime: Bool

    /// The engine checks the fields, and replies ``Reply/invalid(_:)`` if one is out of bounds.
    public init(
        title: String = "", icon: String? = nil, label: Label? = nil, mode: Mode = .countdown, plan: [Phase],
        autoAdvance: Bool = false, hasAlarm: Bool? = nil, hasOvertime: Bool = false
    ) {
        self.title = title
        self.icon = icon
        self.label = label
        self.mode = mode
        self.plan = plan
        self.autoAdvance = autoAdvance
        self.hasAlarm = hasAlarm
        self.hasOvertime = hasOvertime
    }
}

/// A request to change the session that a person sees.
public struct Press: Hashable, Sendable {
    public var operation: IntentOperation
    /// The session that the person saw; `nil` for the current one.
    public var session: SessionID?
    /// The phase that the person saw; `nil` for the current one.
    public var phase: Int?

    public init(_ operation: IntentOperation, session: SessionID? = nil, phase: Int? = nil) {
        self.operation = operation
        self.session = session
        self.phase = phase
    }
}
