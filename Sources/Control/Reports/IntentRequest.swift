// SPDX-License-Identifier: Apache-2.0

package import Session
import Wire

/// A request about the current session, from a person or a program on this machine, as JSON.
package struct IntentRequest: Codable, Hashable, Sendable {
    /// pause, resume, stop, extend, startBreak, startFocus, skip or correct.
    package var op: String
    /// The seconds that an `extend` adds: 1 to 86,400; 60 when absent.
    package var seconds: Int?
    /// The title that a `correct` writes; the present one stays when absent.
    package var title: String?
    /// The label's name that a `correct` writes; the present one stays when absent. An empty name removes the label.
    package var label: String?
    /// The colour that a `correct` gives the label, as in ``StartRequest/colour``; the present one stays when absent.
    package var colour: String?
    /// The session that the person saw; the current one when absent.
    package var session: String?
    /// The index of the phase that the person saw; the current one when absent.
    package var phase: Int?

    package init(
        op: String, seconds: Int? = nil, title: String? = nil, label: String? = nil, colour: String? = nil,
        session: String? = nil, phase: Int? = nil
    ) {
        self.op = op
        self.seconds = seconds
        self.title = title
        self.label = label
        self.colour = colour
        self.session = session
        self.phase = phase
    }

    /// The request for a press.
    package init(_ press: Press) {
        op = press.operation.name.rawValue
        switch press.operation {
        case .extend(let seconds): self.seconds = seconds
        case .correct(let title, let label, let colour):
            self.title = title
            self.label = label
            self.colour = colour?.description
        case .pause, .resume, .stop, .startBreak, .startFocus, .skip: break
        }
        session = press.session?.rawValue
        phase = press.phase
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case op, seconds, title, label, colour, session, phase
    }

    /// Reads a request; an unknown field is an error.
    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(otherThan: CodingKeys.allCases.map(\.rawValue))
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        op = try fields.decode(String.self, forKey: .op)
        seconds = try fields.wholeIfPresent(.seconds, in: Limits.phaseSeconds)
        title = try fields.decodeIfPresent(String.self, forKey: .title)
        label = try fields.decodeIfPresent(String.self, forKey: .label)
        colour = try fields.decodeIfPresent(String.self, forKey: .colour)
        session = try fields.decodeIfPresent(String.self, forKey: .session)
        phase = try fields.wholeIfPresent(.phase, in: 0...Limits.phases - 1)
    }

    /// The request for the engine.
    /// - Throws: ``RequestError`` for the first field that is out of bounds.
    package func press() throws(RequestError) -> Press {
        guard let name = IntentOperation.Name(rawValue: op) else {
            let names = IntentOperation.Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError("op", "must be one of \(names)")
        }
        if let seconds {
            guard name == .extend else { throw RequestError("seconds", "belongs to extend only") }
            guard Limits.phaseSeconds.contains(seconds) else {
                throw RequestError.whole("seconds", in: Limits.phaseSeconds)
            }
        }
        if let phase, !(0..<Limits.phases).contains(phase) {
            throw RequestError.whole("phase", in: 0...Limits.phases - 1)
        }
        try checkTexts(of: name)
        let operation = IntentOperation(
            name: name, seconds: seconds, title: title.map(CleanText.trimmed), label: label.map(CleanText.trimmed),
            colour: try colour.map(StartRequest.colour))
        return Press(operation, session: try sessionID(), phase: phase)
    }

    private func checkTexts(of name: IntentOperation.Name) throws(RequestError) {
        let given = [("title", title), ("label", label), ("colour", colour)].filter { $0.1 != nil }.map(\.0)
        guard name == .correct else {
            if let field = given.first { throw RequestError(field, "belongs to correct only") }
            return
        }
        if given.isEmpty { throw RequestError("title", "one of title, label and colour is needed") }
        if let title { try StartRequest.check(CleanText.trimmed(title), .title) }
        guard let label else { return }
        if !label.isEmpty { return try StartRequest.check(CleanText.trimmed(label), .label) }
        if colour != nil { throw RequestError("colour", "is the colour of a label, and there is none") }
    }

    private func sessionID() throws(RequestError) -> SessionID? {
        guard let session else { return nil }
        guard let id = SessionID(session) else {
            throw RequestError("session", "must be 1 to 36 letters, digits, “-” and “_”")
        }
        return id
    }
}

/// A request to move the current session here. It has no fields: its body is empty or `{}`.
package struct TakeRequest: Codable, Hashable, Sendable {
    package init() {}

    /// Reads a request; any field is an error.
    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(otherThan: [])
    }

    /// Reads a body.
    /// - Throws: ``RequestError`` when it is neither empty nor `{}`.
    package init(body: [UInt8]) throws(RequestError) {
        self = body.isEmpty ? TakeRequest() : try ReportJSON.decode(from: body)
    }
}
