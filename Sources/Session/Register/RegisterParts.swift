// SPDX-License-Identifier: Apache-2.0

/// Whether a session counts down through its plan or up until it is stopped.
public enum Mode: String, CaseIterable, Codable, Sendable {
    case countdown, countup
}

/// An interval of group time, within ``Limits/time``, in which a phase ran. Open (without `to`) while it runs.
public struct Run: Hashable, Codable, Sendable {
    public var phase: Int
    public var from: GroupTime
    public var to: GroupTime?

    public init(phase: Int, from: GroupTime, to: GroupTime? = nil) {
        self.phase = phase
        self.from = from
        self.to = to
    }
}

/// The register of another node that a session continues.
public struct Continuation: Hashable, Codable, Sendable {
    public var node: NodeID
    /// The epoch of that register, within ``Limits/counter``.
    public var epoch: Int
    /// The revision of that register, within ``Limits/counter``.
    public var rev: Int
    /// When the session was taken over, in the new owner's group time. The former owner's runs end there.
    public var at: GroupTime

    public init(node: NodeID, epoch: Int, rev: Int, at: GroupTime) {
        self.node = node
        self.epoch = epoch
        self.rev = rev
        self.at = at
    }
}

/// The intent behind a revision of a register.
public struct LastIntent: Hashable, Codable, Sendable {
    public var intent: IntentID
    public var op: IntentOperation.Name
    public var from: NodeID
    /// When the owner applied it.
    public var at: GroupTime

    public init(intent: IntentID, op: IntentOperation.Name, from: NodeID, at: GroupTime) {
        self.intent = intent
        self.op = op
        self.from = from
        self.at = at
    }
}

/// The later start that ended a session.
public struct Superseder: Hashable, Codable, Sendable {
    public var session: SessionID
    public var node: NodeID
    /// The end of the session that lost. In an answer it may be the winner's start.
    public var at: GroupTime

    public init(session: SessionID, node: NodeID, at: GroupTime) {
        self.session = session
        self.node = node
        self.at = at
    }
}
