// SPDX-License-Identifier: Apache-2.0

import Session

extension Intent {
    /// What an `extend` adds that does not say how much, in seconds.
    static let extensionSeconds = 60

    /// Reads an intent that arrives from `sender` at group time `now`.
    ///
    /// A script on a phone may leave out what it does not know: lineage, phase, arguments and both times. What an
    /// operation makes of its arguments is the engine's matter, since it must answer.
    init(reader: inout JSONReader, sender: NodeID, now: Int64) throws(Rejection) {
        var version: Int64?
        var id: IntentID?
        var lineage: SessionID?
        var session: SessionID?
        var phase: Int?
        var op: Operation.Name?
        var seconds: Int?
        var from: NodeID?
        var at: Int64?
        var expiresAt: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "id": id = try reader.token()
            case "lineage": lineage = try reader.null() ? nil : reader.token()
            case "session": session = try reader.token()
            case "phase": phase = try reader.null() ? nil : reader.int()
            case "op": op = try reader.word()
            case "args": seconds = try reader.null() ? nil : Self.seconds(reader: &reader)
            case "from": from = try reader.node(likely: sender)
            case "at": at = try reader.null() ? nil : reader.integer(in: Limits.time, "at")
            case "expiresAt": expiresAt = try reader.null() ? nil : reader.integer(in: Limits.time, "expiresAt")
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        let target = try need(session, "session")
        let asked = at ?? now
        self.init(
            id: try need(id, "id"), lineage: lineage ?? target, session: target, phase: phase,
            operation: Operation(name: try need(op, "op"), seconds: seconds), from: try need(from, "from"), at: asked,
            expiresAt: expiresAt ?? asked + Limits.intentLife)
    }

    private static func seconds(reader: inout JSONReader) throws(Rejection) -> Int? {
        var seconds: Int?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "seconds": seconds = try reader.null() ? nil : reader.int()
            default: try reader.skip()
            }
        }
        return seconds
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("lineage", lineage)
        writer.field("session", session)
        if let phase { writer.field("phase", phase) }
        writer.field("op", operation.name.rawValue)
        if case .extend(let seconds) = operation {
            writer.field("args") { $0.field("seconds", seconds) }
        }
        writer.field("from", from.rawValue)
        writer.field("at", at)
        writer.field("expiresAt", expiresAt)
    }
}

extension Operation {
    /// An operation from its name and the argument that `extend` takes.
    init(name: Name, seconds: Int?) {
        switch name {
        case .pause: self = .pause
        case .resume: self = .resume
        case .stop: self = .stop
        case .extend: self = .extend(seconds: seconds ?? Intent.extensionSeconds)
        case .startBreak: self = .startBreak
        case .startFocus: self = .startFocus
        case .skip: self = .skip
        }
    }
}
