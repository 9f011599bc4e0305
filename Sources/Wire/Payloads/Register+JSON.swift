// SPDX-License-Identifier: Apache-2.0

import Session

extension Register {
    /// Reads the fields; whether they fit together is for ``checked()`` to say.
    init(reader: inout JSONReader) throws(Rejection) {
        var memory = RegisterMemory()
        try self.init(reader: &reader, memory: &memory)
    }

    /// The same, where most of it is as in the register that was read before: the attributes, which come first, stay as
    /// long as the session does.
    init(reader: inout JSONReader, memory: inout RegisterMemory) throws(Rejection) {
        reader.skipSpace()
        let start = reader.position
        var items = try reader.object()
        var state = StateFields()
        var isHead = !reader.takeFields(&items, like: memory.head, from: start)
        // None of its own where all is as it was.
        var attributes = isHead ? AttributeFields() : nil
        var end = reader.position
        while let key = try reader.key(&items) {
            if try !state.read(key, from: &reader, memory: &memory) {
                var fields = attributes ?? memory.head.value
                try fields.read(key, from: &reader)
                attributes = fields
            } else if isHead, let read = attributes {
                isHead = false
                memory.head = Remembered(text: Array(reader.bytes[start..<end]), value: read)
                memory.register = nil
            }
            end = reader.position
        }
        if let attributes {
            self = try attributes.register(with: state)
        } else if let register = memory.register {
            self = try state.register(like: register)
        } else {
            self = try memory.head.value.register(with: state)
            memory.register = self
        }
    }

    /// The same register when its fields are within ``Limits`` and fit together.
    /// - Parameter sound: One of which that is known, mostly with the same attributes.
    func checked(after sound: Register? = nil) throws(Rejection) -> Register {
        let areAttributesSound = sound.map(hasAttributes) ?? false
        if let flaw = areAttributesSound ? stateFlaw : flaw { throw Rejection(.outOfBounds, "\(flaw) does not fit") }
        return self
    }

    /// Writes the fields, and those that are derived from them for clients that only look.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writeHead(to: &writer)
            writeState(to: &writer)
        }
    }

    /// The attributes, which stay as long as the session does, so that they are written and read once.
    func writeHead(to writer: inout JSONWriter) {
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
        writer.field("owner", owner.rawValue)
        writer.field("title", title)
        writer.field("activityName", title)
        if let icon { writer.field("icon", icon) }
        if let label { writer.field("label") { label.writeFields(to: &$0) } }
        writer.field("mode", mode.rawValue)
        writer.list("plan") { writer in
            for phase in plan { writer.object { phase.writeFields(to: &$0) } }
        }
        writer.field("autoAdvance", autoAdvance)
        writer.field("startedAt", startedAt)
        writer.field("startTime", startedAt)
    }

    func writeState(to writer: inout JSONWriter) {
        writer.field("rev", rev)
        writer.field("phase", phase)
        writer.field("status", status.rawValue)
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
