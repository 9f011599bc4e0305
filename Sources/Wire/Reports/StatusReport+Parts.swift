// SPDX-License-Identifier: Apache-2.0

public import Session

/// A label in a report or a request.
public struct LabelReport: Codable, Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its colour as `#rrggbb`, or `#rrggbbaa` where it is not opaque.
    public var colour: String

    /// Describes a label.
    public init(_ label: Label) {
        name = label.name
        colour = label.colour.description
    }
}

/// A phase of a plan in a report.
public struct PhaseReport: Codable, Hashable, Sendable {
    /// focus, shortBreak, longBreak, work, rest or phase.
    public var kind: String
    /// Its own name.
    @Nullable public var name: String?
    /// Its length in seconds; of a count-up session the cap.
    public var seconds: Int

    /// Describes a phase.
    public init(_ phase: Phase) {
        kind = phase.kind.rawValue
        name = phase.name
        seconds = phase.seconds
    }
}

/// The current phase in a report.
public struct CurrentPhaseReport: Codable, Hashable, Sendable {
    /// Its place in the plan; 0 is the first.
    public var index: Int
    /// How many phases the plan has.
    public var count: Int
    /// focus, shortBreak, longBreak, work, rest or phase.
    public var kind: String
    /// Its own name.
    @Nullable public var name: String?
    /// Its length in seconds; of a count-up session the cap.
    public var seconds: Int
    /// Seconds of it that have passed, rounded down.
    public var elapsedSeconds: Int
    /// Seconds of it that are left, rounded up; of a count-up session until the cap.
    public var remainingSeconds: Int

    /// Describes the phase of a moment.
    public init(_ moment: Moment) {
        let phase = moment.register.currentPhase
        index = moment.register.phase
        count = moment.register.plan.count
        kind = phase.kind.rawValue
        name = phase.name
        seconds = phase.seconds
        elapsedSeconds = Int(moment.elapsed / 1_000)
        remainingSeconds = Int((moment.remaining + 999) / 1_000)
    }
}

/// The start that ended a session, in a report.
public struct SupersederReport: Codable, Hashable, Sendable {
    /// The session that won.
    public var session: String
    /// Its owner.
    public var node: String
    /// Of a session that lost, its end; in a reply the start of the session that won. In milliseconds of group time.
    public var at: Int64

    /// Describes a superseder.
    public init(_ superseder: Superseder) {
        session = superseder.session.rawValue
        node = superseder.node.rawValue
        at = superseder.at
    }
}

/// What a takeover continues, in a report.
public struct ContinuationReport: Codable, Hashable, Sendable {
    /// The owner before.
    public var node: String
    /// Its epoch.
    public var epoch: Int
    /// Its revision.
    public var rev: Int
    /// The takeover, in milliseconds of group time.
    public var at: Int64

    /// Describes a continuation.
    public init(_ continuation: Continuation) {
        node = continuation.node.rawValue
        epoch = continuation.epoch
        rev = continuation.rev
        at = continuation.at
    }
}

/// The intent that a revision shows the effect of, in a report.
public struct LastIntentReport: Codable, Hashable, Sendable {
    /// Its id.
    public var intent: String
    /// pause, resume, stop, extend, startBreak, startFocus or skip.
    public var op: String
    /// The node that asked.
    public var from: String
    /// When the owner applied it, in milliseconds of group time.
    public var at: Int64

    /// Describes an intent.
    public init(_ last: LastIntent) {
        intent = last.intent.rawValue
        op = last.op.rawValue
        from = last.from.rawValue
        at = last.at
    }
}

/// The order of a start, in a report.
public struct StampReport: Codable, Hashable, Sendable {
    /// Milliseconds of group time since 1970.
    public var time: Int64
    /// Orders starts within one millisecond.
    public var counter: Int
    /// The node that started.
    public var node: String

    /// Describes a stamp.
    public init(_ stamp: Stamp) {
        time = stamp.time
        counter = stamp.counter
        node = stamp.node.rawValue
    }
}
