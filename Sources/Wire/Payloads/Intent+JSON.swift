// SPDX-License-Identifier: Apache-2.0

public import Session

extension Intent {
    /// Seconds that an `extend` adds without an argument.
    static let extensionSeconds = 60

    /// Reads an intent that arrives from `sender` at group time `now`. A script may leave out the lineage, the phase,
    /// the arguments and both times. The engine checks the arguments, since it must answer.
    init(payload: [UInt8], from sender: NodeID, now: GroupTime) throws(PayloadError) {
        let asked = try IntentFields(payload: payload, by: sender, from: IntentFields(at: now))
        self = asked.intent
        lineage = asked.lineage ?? session
        let args = asked.args
        operation = IntentOperation(
            name: asked.op, seconds: args?.seconds, title: args?.title, label: args?.label, colour: args?.colour)
    }

    func json() -> [UInt8] { IntentFields(self).payload }
}

/// An intent as it is written: the operation apart from its arguments.
struct IntentFields: Described {
    /// The arguments of an operation on the wire.
    struct Arguments: Described {
        var seconds: Int?
        var title: String?
        var label: String?
        var colour: Colour?

        package static let objectName = "args"
        package static let blank = Arguments()

        package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
            try coder.field("seconds", optional: &seconds, .whole())
            try coder.field("title", optional: &title, .string)
            try coder.field("label", optional: &label, .string)
            try coder.field("colour", optional: &colour, .colour)
        }
    }

    var intent: Intent
    /// The lineage; `nil` from a script that knows only the session.
    var lineage: SessionID?
    var op: IntentOperation.Name
    var args: Arguments?

    init(_ intent: Intent) {
        self.intent = intent
        lineage = intent.lineage
        op = intent.operation.name
        switch intent.operation {
        case .extend(let seconds): args = Arguments(seconds: seconds)
        case .correct(let title, let label, let colour): args = Arguments(title: title, label: label, colour: colour)
        case .pause, .resume, .stop, .startBreak, .startFocus, .skip: break
        }
    }

    /// Creates an intent to read into; `at` is the group time for an intent without a time.
    init(at: GroupTime) {
        self.init(
            Intent(
                id: .blank, lineage: .blank, session: .blank, phase: nil, operation: .pause, from: .blank, at: at,
                expiresAt: 0))
        lineage = nil
    }

    package static let blank = IntentFields(at: 0)
    package var author: NodeID? { intent.from }

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("id", &intent.id, .id())
        try coder.field("lineage", optional: &lineage, .id())
        try coder.field("session", &intent.session, .id())
        try coder.field("phase", optional: &intent.phase, .whole())
        try coder.field("op", &op, .word())
        try coder.field("args", optional: &args, .object())
        try coder.field("from", &intent.from, .node)
        let now = intent.at
        try coder.field("at", &intent.at, .time, absent: now)
        try coder.field("expiresAt", &intent.expiresAt, .time, absent: intent.at + Limits.intentLife)
    }
}

extension IntentOperation {
    public init(name: Name, seconds: Int?, title: String?, label: String?, colour: Colour?) {
        switch name {
        case .pause: self = .pause
        case .resume: self = .resume
        case .stop: self = .stop
        case .extend: self = .extend(seconds: seconds ?? Intent.extensionSeconds)
        case .startBreak: self = .startBreak
        case .startFocus: self = .startFocus
        case .skip: self = .skip
        case .correct: self = .correct(title: title, label: label, colour: colour)
        }
    }
}
