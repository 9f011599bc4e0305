// SPDX-License-Identifier: Apache-2.0

package import Session

extension Register: Described {
    package func json() -> [UInt8] { payload }

    package var author: NodeID? { owner }

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try fields.describe(to: &form)
    }

    package static let blank = Register(
        id: .blank, lineage: .blank, stamp: Stamp(time: 0, counter: 0, node: .blank), epoch: 0, rev: 0, owner: .blank,
        title: "", icon: nil, label: nil, mode: .countdown, plan: [], autoAdvance: false, phase: 0, status: .running,
        startedAt: 0, anchor: Anchor(elapsed: 0, at: 0, bootID: .blank, boot: 0), runs: [])
}

extension Register.Fields {
    fileprivate mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("id", &id, .id())
        try form.field("lineage", &lineage, .id(), absent: id)
        try form.field("continues", optional: &continues, .object())
        try form.field("stamp", &stamp, .array())
        try form.field("epoch", &epoch, .counter)
        try form.field("owner", &owner, .node)
        try form.field("title", &title, .textOrEmpty(Limits.titleBytes), absent: "")
        try form.field("activityName", written: title, .string)
        try form.field("icon", optional: &icon, .text(Limits.iconBytes))
        try form.field("label", optional: &label, .object())
        try form.field("mode", &mode, .word())
        try form.field("plan", &plan, .list(of: .object(), 1...Limits.phases))
        try form.field("autoAdvance", &autoAdvance, .bool)
        try form.field("alarm", &hasAlarm, .bool, unless: false)
        try form.field("overtime", &hasOvertime, .bool, unless: false)
        try form.field("startedAt", &startedAt, .time)
        try form.field("startTime", written: startedAt, .time)
        try form.field("rev", &rev, .counter)
        try form.field("phase", &phase, .whole(0...Limits.phases - 1))
        try form.field("status", &status, .word())
        try form.field("anchor", &anchor, .object())
        try form.field("endsAt", written: endsAt, .time)
        try form.field("runs", &runs, .list(of: .array(), 0...Limits.runs))
        try form.field("applied", &applied, .list(of: .id(), 0...Limits.applied), absent: [])
        try form.field("last", optional: &last, .object())
        try form.field("supersededBy", optional: &supersededBy, .object())
        try form.field("elapsedSeconds", written: anchor.elapsed.count / 1_000, .whole())
        try form.field(
            "totalSeconds", written: mode == .countdown ? currentPhase.seconds : nil, .whole(), .writtenOrNull)
        try form.field("isRunning", written: status == .running, .bool)
    }
}

extension Continuation: Described {
    package static let blank = Continuation(node: .blank, epoch: 0, rev: 0, at: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("node", &node, .node)
        try form.field("epoch", &epoch, .counter)
        try form.field("rev", &rev, .counter)
        try form.field("at", &at, .time)
    }
}

extension Phase: Described {
    package static let blank = Phase(kind: .focus, seconds: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("kind", &kind, .word())
        try form.field("name", optional: &name, .text(Limits.nameBytes))
        try form.field("seconds", &seconds, .whole(Limits.phaseSeconds))
        try form.field("added", &added, .whole(0...Limits.phaseSeconds.upperBound - 1), unless: 0)
    }
}

extension Anchor: Described {
    package static let blank = Anchor(elapsed: 0, at: 0, bootID: .blank, boot: 0)
    private static let lengths = 0...Milliseconds.seconds(Int64(Limits.phaseSeconds.upperBound))
    private static let overtimes = Milliseconds.zero...Limits.overtime

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("elapsed", &elapsed, .whole(Self.lengths))
        try form.field("over", &over, .whole(Self.overtimes), unless: .zero)
        try form.field("at", &at, .time)
        try form.field("bound", optional: &bound, .bound)
        try form.field("bootId", &bootID, .id())
        try form.field("boot", &boot, .reading)
    }
}

extension Run: Described {
    package static let blank = Run(phase: 0, from: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("phase", &phase, .whole(0...Limits.phases - 1))
        try form.field("from", &from, .time)
        try form.field("to", optional: &to, .time)
    }
}

extension LastIntent: Described {
    package static let objectName = "last"
    package static let blank = LastIntent(intent: .blank, op: .pause, from: .blank, at: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("intent", &intent, .id())
        try form.field("op", &op, .word())
        try form.field("from", &from, .node)
        try form.field("at", &at, .time)
    }
}
