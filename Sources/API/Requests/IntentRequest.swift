// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// A request about the current session, from a person or a program on this machine.
package struct IntentRequest: Hashable, Sendable, Alternatives {
    package var op: IntentOperation.Name
    package var seconds: Int?
    package var title: String?
    package var label: String?
    package var colour: String?
    package var session: SessionID?
    package var phase: Int?

    package init(op: IntentOperation.Name, seconds: Int? = nil) {
        self.op = op
        self.seconds = seconds
    }

    package init(_ press: Press) {
        op = press.operation.name
        switch press.operation {
        case .extend(let seconds): self.seconds = seconds
        case .correct(let title, let label, let colour):
            self.title = title
            self.label = label
            self.colour = colour?.description
        case .pause, .resume, .stop, .startBreak, .startFocus, .skip: break
        }
        session = press.session
        phase = press.phase
    }

    package static let blank = IntentRequest(op: .pause)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("op", &op, .word())
        try coder.field(
            "seconds", optional: &seconds, .whole(-Limits.phaseSeconds.upperBound...Limits.phaseSeconds.upperBound),
            "By default 60; a negative number takes time away.")
        try coder.field(
            "title", optional: &title, .clean(0...Limits.titleBytes),
            "At most 160 bytes of UTF-8; an empty one removes the title.")
        try coder.field(
            "label", optional: &label, .clean(0...Limits.nameBytes),
            "At most 48 bytes of UTF-8; an empty one removes the label.")
        try coder.field(
            "colour", optional: &colour, .typedColour, "The label's colour; not allowed where no label is left.")
        try coder.field(
            "session", optional: &session, .id(), "The session that the person saw; by default the current one.")
        try coder.field(
            "phase", optional: &phase, .whole(0...Limits.phases - 1),
            "The phase that the person saw; by default the current one.")
    }

    static func schema(of fields: [Schemas.Field]) -> JSONText {
        func form(
            _ operations: [IntentOperation.Name], _ about: JSONText, _ keys: Set<String>,
            _ further: [(String, JSONText)] = []
        ) -> JSONText {
            var fields = fields.filter { keys.union(["session", "phase", "op"]).contains($0.key) }
            fields[0].schema = ["enum": JSONText(operations.map { JSONText($0.rawValue) })]
            return Schemas.object(fields, about: about, further: further)
        }
        let texts = ["title", "label", "colour"]
        let noLabel = [Schemas.requiring("colour", ["type": "string"]), Schemas.requiring("label", ["const": ""])]
        let others = IntentOperation.Name.allCases.filter { $0 != .extend && $0 != .correct }
        return [
            "oneOf": [
                form(
                    [.extend], "More time, or less.", ["seconds"], [("not", Schemas.requiring("seconds", ["const": 0]))]
                ),
                form(
                    [.correct], "What is absent stays. At least one of title, label and colour is needed.",
                    Set(texts),
                    [
                        ("anyOf", JSONText(texts.map { Schemas.requiring($0, ["type": "string"]) })),
                        ("not", ["allOf": JSONText(noLabel)]),
                    ]),
                form(others, "Any other operation.", []),
            ]
        ]
    }

    /// Returns the press for the engine.
    package func press() throws(RequestError) -> Press {
        if seconds == 0 { throw RequestError("seconds", "must not be 0") }
        if seconds != nil, op != .extend { throw RequestError("seconds", "belongs to extend only") }
        try checkTexts()
        let operation = IntentOperation(
            name: op, seconds: seconds, title: title.map(CleanText.trimmed), label: label.map(CleanText.trimmed),
            colour: try colour.map(StartRequest.colour))
        return Press(operation, session: session, phase: phase)
    }

    private func checkTexts() throws(RequestError) {
        let given = [("title", title), ("label", label), ("colour", colour)].filter { $0.1 != nil }.map(\.0)
        guard op == .correct else {
            if let field = given.first { throw RequestError(field, "belongs to correct only") }
            return
        }
        if given.isEmpty { throw RequestError("title", "one of title, label and colour is needed") }
        if let title { try StartRequest.check(CleanText.trimmed(title), .title) }
        guard let label else { return }
        if !label.isEmpty { return try StartRequest.check(CleanText.trimmed(label), .label) }
        if colour != nil { throw RequestError("colour", "is the colour of a label, and there is none") }
    }
}
