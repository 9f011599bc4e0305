// SPDX-License-Identifier: Apache-2.0

import Session

/// The attributes of a register while it is being read.
struct AttributeFields: Sendable {
    private var version: Int64?
    private var id: SessionID?
    private var lineage: SessionID?
    private var continues: Continuation?
    private var stamp: Stamp?
    private var epoch: Int?
    private var owner: NodeID?
    private var title = ""
    private var icon: String?
    private var label: Label?
    private var mode: Mode?
    private var plan: [Phase]?
    private var autoAdvance: Bool?
    private var startedAt: Int64?

    /// Reads the value of one field; one that nobody knows is passed over.
    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(Rejection) {
        switch key {
        case "v": version = try reader.integer()
        case "id": id = try reader.token()
        case "lineage": lineage = try reader.null() ? nil : reader.token()
        case "continues": continues = try reader.null() ? nil : Continuation(reader: &reader)
        case "stamp": stamp = try Stamp(reader: &reader)
        case "epoch": epoch = try reader.int()
        case "owner": owner = try reader.node()
        case "title": title = try reader.null() ? "" : reader.string()
        case "icon": icon = try reader.null() ? nil : reader.string()
        case "label": label = try reader.null() ? nil : Label(reader: &reader)
        case "mode": mode = try reader.word()
        case "plan": plan = try [Phase](reader: &reader)
        case "autoAdvance": autoAdvance = try reader.bool()
        case "startedAt": startedAt = try reader.integer()
        default: try reader.skip()
        }
    }

    /// The register, where no field is missing.
    func register(with state: StateFields) throws(Rejection) -> Register {
        try ProtocolVersion.check(version)
        let session = try need(id, "id")
        return Register(
            id: session, lineage: lineage ?? session, continues: continues, stamp: try need(stamp, "stamp"),
            epoch: try need(epoch, "epoch"), rev: try need(state.rev, "rev"), owner: try need(owner, "owner"),
            title: title, icon: icon, label: label, mode: try need(mode, "mode"), plan: try need(plan, "plan"),
            autoAdvance: try need(autoAdvance, "autoAdvance"), phase: try need(state.phase, "phase"),
            status: try need(state.status, "status"), startedAt: try need(startedAt, "startedAt"),
            anchor: try need(state.anchor, "anchor"), runs: try need(state.runs, "runs"), applied: state.applied,
            last: state.last, supersededBy: state.supersededBy)
    }
}

/// The content state of a register while it is being read.
struct StateFields: Sendable {
    fileprivate var rev: Int?
    fileprivate var phase: Int?
    fileprivate var status: Status?
    fileprivate var anchor: Anchor?
    fileprivate var runs: [Run]?
    fileprivate var applied: [IntentID] = []
    fileprivate var last: LastIntent?
    fileprivate var supersededBy: Superseder?

    /// Reads the value of one field.
    /// - Returns: Whether it belongs here; if not, it is still to be read.
    mutating func read(
        _ key: JSONKey, from reader: inout JSONReader, memory: inout RegisterMemory
    ) throws(Rejection) -> Bool {
        switch key {
        case "rev": rev = try reader.int()
        case "phase": phase = try reader.int()
        case "status": status = try reader.word()
        case "anchor": anchor = try Anchor(reader: &reader)
        case "runs":
            runs = try reader.growingArray(like: &memory.runs) { (reader) throws(Rejection) in try Run(reader: &reader)
            }
        case "applied":
            applied =
                try reader.null()
                ? []
                : reader.growingArray(like: &memory.applied) { (reader) throws(Rejection) in try reader.token() }
        case "last": last = try reader.null() ? nil : LastIntent(reader: &reader)
        case "supersededBy": supersededBy = try reader.null() ? nil : Superseder(reader: &reader)
        // Derived from the others, for clients that only look.
        case "endsAt", "elapsedSeconds", "totalSeconds", "isRunning": try reader.skip()
        default: return false
        }
        return true
    }

    /// The register of the same attributes as another one, where no field is missing.
    func register(like other: Register) throws(Rejection) -> Register {
        Register(
            like: other, rev: try need(rev, "rev"), phase: try need(phase, "phase"), status: try need(status, "status"),
            anchor: try need(anchor, "anchor"), runs: try need(runs, "runs"), applied: applied, last: last,
            supersededBy: supersededBy)
    }
}
