// SPDX-License-Identifier: Apache-2.0

/// Whether a session counts down through its plan or up until it is stopped.
public enum Mode: String, CaseIterable, Sendable {
    case countdown, countup
}

/// The state of a session.
public enum Status: String, CaseIterable, Codable, Sendable {
    /// Time passes.
    case running
    /// A person has frozen the time.
    case paused
    /// A phase has ended; the next one, which `phase` names, waits for a person.
    case ready
    /// The plan has ended.
    case completed
    /// A person has ended it.
    case stopped
    /// A later start has ended it.
    case superseded

    public var isLive: Bool {
        switch self {
        case .running, .paused, .ready: true
        case .completed, .stopped, .superseded: false
        }
    }
}

/// The instant from which a phase's time is counted.
public struct Anchor: Hashable, Sendable {
    /// The time of the current phase that had passed, from 0 to its length.
    public var elapsed: Milliseconds
    /// The time that had passed beyond that length, from 0 to ``Limits/overtime``.
    public var over: Milliseconds
    public var at: GroupTime
    /// The largest error of ``at``, within ``Limits/bound``; `nil` if no kernel vouched for it.
    public var bound: Milliseconds?
    /// The boot of the owner's machine in which ``boot`` was read.
    public var bootID: BootID
    /// The instant on the owner's boot clock, within ``Limits/reading``.
    public var boot: BootTime

    /// The caller must read both clocks at one instant.
    public init(
        elapsed: Milliseconds, over: Milliseconds = 0, at: GroupTime, bound: Milliseconds? = nil, bootID: BootID,
        boot: BootTime
    ) {
        self.elapsed = elapsed
        self.over = over
        self.at = at
        self.bound = bound
        self.bootID = bootID
        self.boot = boot
    }

    /// The time of the current phase that had passed, with the time beyond its length.
    package var passed: Milliseconds { elapsed + over }

    /// Sets the time that had passed in a phase of this length.
    mutating func pass(_ passed: Milliseconds, of length: Milliseconds) {
        elapsed = min(passed, length)
        over = passed - elapsed
    }
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
