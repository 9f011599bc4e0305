// SPDX-License-Identifier: Apache-2.0

package import API
package import Session
package import Wire

/// A command on `plain/command`: a word such as `pause` or `extend 60`, or JSON. With an id it takes effect once.
package struct PlainCommand: Hashable, Sendable {
    /// The action that a command asks for.
    package enum Action: Hashable, Sendable {
        case press(Press)
        /// Pauses a running session; resumes a paused one, or begins a phase that is ready.
        case toggle
        case take
        case acknowledge
        case start(StartRequest)
        /// Gives a title to the live session, or, if there is none, to the next start.
        case title(String)
    }

    /// A command that is not valid, with the id of its answer.
    package struct ReadError: Error {
        package var id: String?
        package var error: RequestError
    }

    package var id: String?
    package var action: Action

    /// - Throws: ``ReadError`` that names the wrong field.
    package init(_ payload: [UInt8]) throws(ReadError) {
        let id: String?
        do throws(RequestError) {
            guard payload.count <= Limits.payloadBytes else {
                throw RequestError("", "a command has at most \(Limits.payloadBytes) bytes")
            }
            let isJSON = payload.first { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: "{")
            let request = isJSON ? try Request(request: payload) : try Request(words: payload)
            if let id = request.id, !CleanText.accepts(id, bytes: Self.idBytes) {
                throw RequestError("id", "must have 1 to \(Self.idBytes) bytes, and no control characters")
            }
            (self.id, action) = (request.id, try request.action())
            return
        } catch {
            id = (try? Named(encoded: payload))?.id.flatMap { CleanText.accepts($0, bytes: Self.idBytes) ? $0 : nil }
            throw ReadError(id: id, error: error)
        }
    }

    private static let idBytes = 64
    /// The operations that have a shorter word here than in intents, with that word.
    private static let shortWords: [IntentOperation.Name: String] = [.startBreak: "break", .startFocus: "focus"]

    /// The word of an action that a display offers.
    static func word(of action: Button.Action) -> String {
        guard case .press(let operation) = action else { return action.name }
        return shortWords[operation.name] ?? action.name
    }

    /// The id alone, for the answer to a command with an error.
    private struct Named: Described {
        var id: String?
        static let blank = Named()

        mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
            try coder.field("id", optional: &id, .string)
        }
    }

    /// The fields of a command as JSON.
    private struct Request: Described {
        var id: String?
        var op = ""
        var seconds: Int?
        var length: String?
        var start = StartRequest()

        static let blank = Request()

        init() {}

        init(words payload: [UInt8]) throws(RequestError) {
            let words = String(decoding: payload, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            op = words.first.map(String.init) ?? ""
            guard words.count > 1 else { return }
            guard op == "extend", words.count == 2, let count = Int(words[1]) else {
                throw RequestError("op", "must be one word, or extend with a number of seconds, as “extend 60”")
            }
            seconds = count
        }

        mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
            try coder.field("id", optional: &id, .string)
            try coder.field("op", &op, .string)
            try coder.field("seconds", optional: &seconds, .whole())
            try coder.field("for", optional: &length, .string)
            try coder.field("title", optional: &start.title, .string)
            try coder.field("label", optional: &start.label, .string)
            try coder.field("until", optional: &start.until, .string)
            try coder.field("plan", optional: &start.plan, .string)
            try coder.field("preset", optional: &start.preset, .string)
            try coder.field("alarm", optional: &start.alarm, .bool)
            try coder.field("overtime", optional: &start.overtime, .bool)
        }

        func action() throws(RequestError) -> Action {
            if op == "start" { return .start(try startRequest()) }
            guard start == StartRequest(title: op == "title" ? start.title : nil) else {
                throw RequestError("op", "“\(op)” takes none of the fields of a start")
            }
            try refuse("for", if: length != nil, exceptFor: "start")
            if op != "extend" { try refuse("seconds", if: seconds != nil, exceptFor: "extend") }
            switch op {
            case "toggle": return .toggle
            case "take": return .take
            case "ok": return .acknowledge
            case "title":
                guard let title = start.title.map(CleanText.trimmed) else { throw RequestError("title", "is needed") }
                try StartRequest.check(title, .title)
                return .title(title)
            default:
                let name = IntentOperation.Name.allCases.first { (PlainCommand.shortWords[$0] ?? $0.rawValue) == op }
                guard let name, name != .correct else {
                    throw RequestError(
                        "op",
                        "“\(op)” is none of pause, resume, toggle, stop, skip, break, focus, extend, take, ok, start, title"
                    )
                }
                return .press(try IntentRequest(op: name, seconds: seconds).press())
            }
        }

        private func refuse(_ field: String, if isGiven: Bool, exceptFor op: String) throws(RequestError) {
            if isGiven { throw RequestError(field, "belongs to \(op) only") }
        }

        private func startRequest() throws(RequestError) -> StartRequest {
            try refuse("seconds", if: seconds != nil, exceptFor: "extend")
            var start = start
            guard let length else { return start }
            do throws(PlanError) { start.seconds = try PlanParser.seconds(of: length) } catch {
                throw RequestError("for", "\(error)")
            }
            return start
        }
    }
}

/// The answer to a command, on `plain/answer`.
package struct PlainAnswer: Hashable, Sendable, Described {
    /// The result of a command.
    package enum Outcome: String, CaseIterable, Sendable { case applied, duplicate, refused }

    package var id: String?
    package var outcome: Outcome
    package var reason: String?
    /// The invalid field of the command.
    package var field: String?
    package var session: String?

    package init(to id: String?, _ outcome: Outcome, reason: String? = nil, field: String? = nil) {
        (self.id, self.outcome, self.reason, self.field) = (id, outcome, reason, field)
    }

    package init(to id: String?, _ error: RequestError) {
        self.init(to: id, .refused, reason: error.message, field: error.field.isEmpty ? nil : error.field)
    }

    /// A command that changes nothing, such as to pause what is paused, counts as applied.
    package init(to id: String?, _ reply: ReplyReport) {
        switch reply.outcome {
        case .applied, .noop: self.init(to: id, .applied)
        case .duplicate: self.init(to: id, .duplicate)
        case .refused, .invalid, .failed:
            self.init(to: id, .refused, reason: reply.reason ?? "refused", field: reply.field)
        case .noSession: self.init(to: id, .refused, reason: reply.reason ?? "noSession")
        case .noAnswer: self.init(to: id, .refused, reason: "noAnswer")
        }
        session = reply.session
    }

    package static let blank = PlainAnswer(to: nil, .applied)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("id", nullable: &id, .string, "That of the command.")
        try coder.field("outcome", &outcome, .word())
        try coder.field("reason", optional: &reason, .string)
        try coder.field("field", optional: &field, .string)
        try coder.field("session", optional: &session, .string)
    }
}
