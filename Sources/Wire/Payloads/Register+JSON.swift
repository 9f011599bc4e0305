// SPDX-License-Identifier: Apache-2.0

import Session

extension Register {
    /// Reads the fields; whether they fit together is for ``checked()`` to say.
    init(reader: inout JSONReader) throws(Rejection) {
        var memory = RegisterMemory()
        try self.init(reader: &reader, memory: &memory)
    }

    /// The same, where most of it is as in the register that was read before.
    init(reader: inout JSONReader, memory: inout RegisterMemory) throws(Rejection) {
        var version: Int64?
        var id: SessionID?
        var lineage: SessionID?
        var continues: Continuation?
        var stamp: Stamp?
        var epoch: Int?
        var rev: Int?
        var owner: NodeID?
        var title = ""
        var icon: String?
        var label: Label?
        var mode: Mode?
        var plan: [Phase]?
        var autoAdvance: Bool?
        var phase: Int?
        var status: Status?
        var startedAt: Int64?
        var anchor: Anchor?
        var runs: [Run]?
        var applied: [IntentID] = []
        var last: LastIntent?
        var supersededBy: Superseder?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "id": id = try reader.token()
            case "lineage": lineage = try reader.null() ? nil : reader.token()
            case "continues": continues = try reader.null() ? nil : Continuation(reader: &reader)
            case "stamp": stamp = try Stamp(reader: &reader)
            case "epoch": epoch = try reader.int()
            case "rev": rev = try reader.int()
            case "owner": owner = try reader.node()
            case "title": title = try reader.null() ? "" : reader.string()
            case "icon": icon = try reader.null() ? nil : reader.string()
            case "label": label = try reader.null() ? nil : Label(reader: &reader)
            case "mode": mode = try reader.word()
            case "plan":
                plan = try reader.array(like: &memory.plan) { (reader) throws(Rejection) in try [Phase](reader: &reader)
                }
            case "autoAdvance": autoAdvance = try reader.bool()
            case "phase": phase = try reader.int()
            case "status": status = try reader.word()
            case "startedAt": startedAt = try reader.integer()
            case "anchor": anchor = try Anchor(reader: &reader)
            case "runs":
                runs = try reader.growingArray(like: &memory.runs) { (reader) throws(Rejection) in
                    try Run(reader: &reader)
                }
            case "applied":
                applied = try reader.growingArray(like: &memory.applied) { (reader) throws(Rejection) in
                    try reader.token()
                }
            case "last": last = try reader.null() ? nil : LastIntent(reader: &reader)
            case "supersededBy": supersededBy = try reader.null() ? nil : Superseder(reader: &reader)
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        let session = try need(id, "id")
        self.init(
            id: session, lineage: lineage ?? session, continues: continues, stamp: try need(stamp, "stamp"),
            epoch: try need(epoch, "epoch"), rev: try need(rev, "rev"), owner: try need(owner, "owner"), title: title,
            icon: icon, label: label, mode: try need(mode, "mode"), plan: try need(plan, "plan"),
            autoAdvance: try need(autoAdvance, "autoAdvance"), phase: try need(phase, "phase"),
            status: try need(status, "status"), startedAt: try need(startedAt, "startedAt"),
            anchor: try need(anchor, "anchor"), runs: try need(runs, "runs"), applied: applied, last: last,
            supersededBy: supersededBy)
    }

    /// The same register when its fields are within ``Limits`` and fit together.
    func checked() throws(Rejection) -> Register {
        if let flaw { throw Rejection(.outOfBounds, "\(flaw) does not fit") }
        return self
    }

    /// Writes the fields, and those that are derived from them for clients that only look.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.version()
            writer.field("id", id)
            writer.field("lineage", lineage)
            if let continues { writer.field("continues") { continues.writeFields(to: &$0) } }
            writer.list("stamp") {
                $0.value(stamp.time)
                $0.value(stamp.counter)
                $0.value(stamp.node.rawValue)
            }
            writer.field("epoch", epoch)
            writer.field("rev", rev)
            writer.field("owner", owner.rawValue)
            writeAttributes(to: &writer)
            writeState(to: &writer)
            writeDerived(to: &writer)
        }
    }

    private func writeAttributes(to writer: inout JSONWriter) {
        writer.field("title", title)
        if let icon { writer.field("icon", icon) }
        if let label { writer.field("label") { label.writeFields(to: &$0) } }
        writer.field("mode", mode.rawValue)
        writer.list("plan") { writer in
            for phase in plan { writer.object { phase.writeFields(to: &$0) } }
        }
        writer.field("autoAdvance", autoAdvance)
    }

    private func writeState(to writer: inout JSONWriter) {
        writer.field("phase", phase)
        writer.field("status", status.rawValue)
        writer.field("startedAt", startedAt)
        writer.field("anchor") {
            $0.field("elapsed", anchor.elapsed)
            $0.field("at", anchor.at)
            if let bound = anchor.bound { $0.field("bound", bound) }
            $0.field("bootId", anchor.bootID)
            $0.field("boot", anchor.boot)
        }
        if let endsAt { writer.field("endsAt", endsAt) }
        writer.list("runs") { writer in
            for run in runs { run.write(to: &writer) }
        }
        writer.list("applied") { writer in
            for id in applied { writer.value(id) }
        }
        if let last { writer.field("last") { last.writeFields(to: &$0) } }
        if let supersededBy { writer.field("supersededBy") { supersededBy.writeFields(to: &$0) } }
    }

    private func writeDerived(to writer: inout JSONWriter) {
        writer.field("activityName", title)
        writer.field("startTime", startedAt)
        writer.field("elapsedSeconds", anchor.elapsed / 1_000)
        if mode == .countdown {
            writer.field("totalSeconds", currentPhase.seconds)
        } else {
            writer.key("totalSeconds")
            writer.null()
        }
        writer.field("isRunning", status == .running)
    }
}
