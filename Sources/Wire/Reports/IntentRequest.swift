// SPDX-License-Identifier: Apache-2.0

public import Session

/// What a person or a program on this machine asks of the current session, as JSON.
public struct IntentRequest: Codable, Hashable, Sendable {
    /// pause, resume, stop, extend, startBreak, startFocus or skip.
    public var op: String
    /// What an `extend` adds: 1 to 86,400; 60 when absent.
    public var seconds: Int?
    /// The session that the person saw; whichever is current when absent.
    public var session: String?
    /// Index of the phase that the person saw; the current one when absent.
    public var phase: Int?

    /// Makes a request.
    public init(op: String, seconds: Int? = nil, session: String? = nil, phase: Int? = nil) {
        self.op = op
        self.seconds = seconds
        self.session = session
        self.phase = phase
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case op, seconds, session, phase
    }

    /// Reads a request; a field that it does not know is an error.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(otherThan: CodingKeys.allCases.map(\.rawValue))
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        op = try fields.decode(String.self, forKey: .op)
        seconds = try fields.wholeIfPresent(.seconds, in: Limits.phaseSeconds)
        session = try fields.decodeIfPresent(String.self, forKey: .session)
        phase = try fields.wholeIfPresent(.phase, in: 0...Limits.phases - 1)
    }

    /// The request as the engine takes it.
    /// - Throws: ``RequestError`` for the first field that is out of bounds.
    public func press() throws(RequestError) -> Press {
        guard let name = Operation.Name(rawValue: op) else {
            let names = Operation.Name.allCases.map(\.rawValue).joined(separator: ", ")
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
        return Press(Operation(name: name, seconds: seconds), session: try sessionID(), phase: phase)
    }

    private func sessionID() throws(RequestError) -> SessionID? {
        guard let session else { return nil }
        guard let id = SessionID(session) else {
            throw RequestError("session", "must be 1 to 36 letters, digits, “-” and “_”")
        }
        return id
    }
}
