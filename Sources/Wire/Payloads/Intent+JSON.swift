// SPDX-License-Identifier: Apache-2.0

public import Session

extension Intent {
    /// Seconds that an `extend` adds without an argument.
    static let extensionSeconds = 60

    /// Reads an intent that arrives from `sender` at group time `now`.
    ///
    /// A script may leave out the lineage, the phase, the arguments and both times. The engine checks the arguments, since
    /// it must answer.
    init(payload: [UInt8], from sender: NodeID, now: Int64) throws(Rejection) {
        let asked = try IntentFields.fields.read(payload: payload, by: sender, from: IntentFields(at: now))
        self = asked.intent
        let args = asked.args
        operation = IntentOperation(
            name: asked.op, seconds: args?.seconds, title: args?.title, label: args?.label, colour: args?.colour)
    }

    /// The intent as it is sent.
    func json() -> [UInt8] { IntentFields.fields.payload(IntentFields(self)) }
}

/// An intent as it is written: the operation apart from its arguments.
struct IntentFields {
    struct Arguments {
        var seconds: Int?
        var title: String?
        var label: String?
        var colour: Colour?

        static let fields = Fields("args", blank: Arguments()) {
            Field("seconds", optional: \.seconds, .whole)
            Field("title", optional: \.title, .string)
            Field("label", optional: \.label, .string)
            Field("colour", optional: \.colour, .colour)
        }
    }

    /// The intent without its operation.
    var intent: Intent
    var op: IntentOperation.Name
    var args: Arguments?

    init(_ intent: Intent) {
        self.intent = intent
        op = intent.operation.name
        switch intent.operation {
        case .extend(let seconds): args = Arguments(seconds: seconds)
        case .correct(let title, let label, let colour): args = Arguments(title: title, label: label, colour: colour)
        case .pause, .resume, .stop, .startBreak, .startFocus, .skip: break
        }
    }

    /// Creates an intent to read into; `at` is the group time for an intent without a time.
    init(at: Int64) {
        self.init(
            Intent(
                id: .blank, lineage: .blank, session: .blank, phase: nil, operation: .pause, from: .blank, at: at,
                expiresAt: 0))
    }

    static let fields = Fields("intent", blank: IntentFields(at: 0), author: \.intent.from) {
        Field("id", \.intent.id, .id())
        Field("lineage", \.intent.lineage, .id(), absent: \.intent.session)
        Field("session", \.intent.session, .id())
        Field("phase", optional: \.intent.phase, .whole)
        Field("op", \.op, .word)
        Field("args", optional: \.args, .object(Arguments.fields))
        Field("from", \.intent.from, .node)
        Field("at", \.intent.at, .time, absent: \.intent.at)
        Field("expiresAt", \.intent.expiresAt, .time, absent: { $0.intent.at + Limits.intentLife })
    }
}

extension IntentOperation {
    /// Creates an operation from its name and the arguments of `extend` and `correct`.
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
