// SPDX-License-Identifier: Apache-2.0

import Session

extension Stamp {
    init(reader: inout JSONReader) throws(Rejection) {
        var items = try reader.array()
        try reader.needElement(&items)
        let time = try reader.integer()
        try reader.needElement(&items)
        let counter = try reader.int()
        try reader.needElement(&items)
        let node = try reader.node()
        try reader.needEnd(&items)
        self.init(time: time, counter: counter, node: node)
    }
}

extension Run {
    init(reader: inout JSONReader) throws(Rejection) {
        var items = try reader.array()
        try reader.needElement(&items)
        let phase = try reader.int()
        try reader.needElement(&items)
        let from = try reader.integer()
        try reader.needElement(&items)
        let to = try reader.null() ? nil : reader.integer()
        try reader.needEnd(&items)
        self.init(phase: phase, from: from, to: to)
    }

    func write(to writer: inout JSONWriter) {
        writer.array {
            $0.value(phase)
            $0.value(from)
            if let to { $0.value(to) } else { $0.null() }
        }
    }
}

extension [Phase] {
    init(reader: inout JSONReader) throws(Rejection) {
        self.init()
        var items = try reader.array()
        while try reader.element(&items) { append(try Phase(reader: &reader)) }
    }
}

extension Phase {
    init(reader: inout JSONReader) throws(Rejection) {
        var kind: PhaseKind?
        var name: String?
        var seconds: Int?
        var added = 0
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "kind": kind = try reader.word()
            case "name": name = try reader.null() ? nil : reader.string()
            case "seconds": seconds = try reader.int()
            case "added": added = try reader.null() ? 0 : reader.int()
            default: try reader.skip()
            }
        }
        self.init(
            kind: try need(kind, "plan.kind"), name: name, seconds: try need(seconds, "plan.seconds"), added: added)
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("kind", kind.rawValue)
        if let name { writer.field("name", name) }
        writer.field("seconds", seconds)
        if added > 0 { writer.field("added", added) }
    }
}

extension Array {
    init<Kind>(reader: inout JSONReader) throws(Rejection) where Element == Token<Kind> {
        self.init()
        var items = try reader.array()
        while try reader.element(&items) { append(try reader.token()) }
    }
}

extension Anchor {
    init(reader: inout JSONReader) throws(Rejection) {
        var elapsed: Int64?
        var at: Int64?
        var bound: Int64?
        var bootID: BootID?
        var boot: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "elapsed": elapsed = try reader.integer()
            case "at": at = try reader.integer()
            case "bound": bound = try reader.null() ? nil : reader.integer()
            case "bootId": bootID = try reader.token()
            case "boot": boot = try reader.integer()
            default: try reader.skip()
            }
        }
        self.init(
            elapsed: try need(elapsed, "anchor.elapsed"), at: try need(at, "anchor.at"), bound: bound,
            bootID: try need(bootID, "anchor.bootId"), boot: try need(boot, "anchor.boot"))
    }
}

extension Continuation {
    init(reader: inout JSONReader) throws(Rejection) {
        var node: NodeID?
        var epoch: Int?
        var rev: Int?
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "node": node = try reader.node()
            case "epoch": epoch = try reader.int()
            case "rev": rev = try reader.int()
            case "at": at = try reader.integer()
            default: try reader.skip()
            }
        }
        self.init(
            node: try need(node, "continues.node"), epoch: try need(epoch, "continues.epoch"),
            rev: try need(rev, "continues.rev"), at: try need(at, "continues.at"))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("node", node.rawValue)
        writer.field("epoch", epoch)
        writer.field("rev", rev)
        writer.field("at", at)
    }
}

extension LastIntent {
    init(reader: inout JSONReader) throws(Rejection) {
        var intent: IntentID?
        var op: Operation.Name?
        var from: NodeID?
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "intent": intent = try reader.token()
            case "op": op = try reader.word()
            case "from": from = try reader.node()
            case "at": at = try reader.integer()
            default: try reader.skip()
            }
        }
        self.init(
            intent: try need(intent, "last.intent"), op: try need(op, "last.op"), from: try need(from, "last.from"),
            at: try need(at, "last.at"))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("intent", intent)
        writer.field("op", op.rawValue)
        writer.field("from", from.rawValue)
        writer.field("at", at)
    }
}

extension Superseder {
    init(reader: inout JSONReader) throws(Rejection) {
        var session: SessionID?
        var node: NodeID?
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "session": session = try reader.token()
            case "node": node = try reader.node()
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        self.init(session: try need(session, "session"), node: try need(node, "node"), at: try need(at, "at"))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("session", session)
        writer.field("node", node.rawValue)
        writer.field("at", at)
    }
}
