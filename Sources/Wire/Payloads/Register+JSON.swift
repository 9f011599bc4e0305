// SPDX-License-Identifier: Apache-2.0

package import Session

extension Register: Described {
    package func json() -> [UInt8] { payload }

    package var author: NodeID? { owner }

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try fields.describe(to: &coder)
    }

    package static let blank = Register(
        id: .blank, lineage: .blank, stamp: Stamp(time: 0, counter: 0, node: .blank), epoch: 0, rev: 0, owner: .blank,
        title: "", icon: nil, label: nil, mode: .countdown, plan: [], autoAdvance: false, phase: 0, status: .running,
        startedAt: 0, anchor: Anchor(elapsed: 0, at: 0, bootID: .blank, boot: 0), runs: [])
}

extension Register.Fields {
    fileprivate mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("id", &id, .id())
        try coder.field("lineage", &lineage, .id(), absent: id)
        try coder.field("continues", optional: &continues, .object())
        try coder.field("stamp", &stamp, .array())
        try coder.field("epoch", &epoch, .counter)
        try coder.field("owner", &owner, .node)
        try coder.field("title", &title, .textOrEmpty(Limits.titleBytes), absent: "")
        try coder.field("activityName", written: title, .string)
        try coder.field("icon", optional: &icon, .text(Limits.iconBytes))
        try coder.field("label", optional: &label, .object())
        try coder.field("mode", &mode, .word())
        try coder.field("plan", &plan, .list(of: .object(), 1...Limits.phases))
        try coder.field("autoAdvance", &autoAdvance, .bool)
        try coder.field("alarm", &hasAlarm, .bool, unless: false)
        try coder.field("overtime", &hasOvertime, .bool, unless: false)
        try coder.field("startedAt", &startedAt, .time)
        try coder.field("startTime", written: startedAt, .time)
        try coder.field("rev", &rev, .counter)
        try coder.field("phase", &phase, .whole(0...Limits.phases - 1))
        try coder.field("status", &status, .word())
        try coder.field("anchor", &anchor, .object())
        try coder.field("endsAt", written: endsAt, .time)
        try coder.field("runs", &runs, .list(of: .array(), 0...Limits.runs))
        try coder.field("applied", &applied, .list(of: .id(), 0...Limits.applied), absent: [])
        try coder.field("last", optional: &last, .object())
        try coder.field("supersededBy", optional: &supersededBy, .object())
        try coder.field("elapsedSeconds", written: anchor.elapsed.count / 1_000, .whole())
        try coder.field(
            "totalSeconds", written: mode == .countdown ? currentPhase.seconds : nil, .whole(), .writtenOrNull)
        try coder.field("isRunning", written: status == .running, .bool)
    }
}

extension Continuation: Described {
    package static let blank = Continuation(node: .blank, epoch: 0, rev: 0, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("node", &node, .node)
        try coder.field("epoch", &epoch, .counter)
        try coder.field("rev", &rev, .counter)
        try coder.field("at", &at, .time)
    }
}

extension Phase: Described {
    package static let blank = Phase(kind: .focus, seconds: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", &kind, .word())
        try coder.field("name", optional: &name, .text(Limits.nameBytes))
        try coder.field("seconds", &seconds, .whole(Limits.phaseSeconds))
        try coder.field("added", &added, .whole(0...Limits.phaseSeconds.upperBound - 1), unless: 0)
    }
}

extension Anchor: Described {
    package static let blank = Anchor(elapsed: 0, at: 0, bootID: .blank, boot: 0)
    private static let lengths = 0...Milliseconds.seconds(Int64(Limits.phaseSeconds.upperBound))
    private static let overtimes = Milliseconds.zero...Limits.overtime

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("elapsed", &elapsed, .whole(Self.lengths))
        try coder.field("over", &over, .whole(Self.overtimes), unless: .zero)
        try coder.field("at", &at, .time)
        try coder.field("bound", optional: &bound, .bound)
        try coder.field("bootId", &bootID, .id())
        try coder.field("boot", &boot, .reading)
    }
}

extension Run: Described {
    package static let blank = Run(phase: 0, from: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("phase", &phase, .whole(0...Limits.phases - 1))
        try coder.field("from", &from, .time)
        try coder.field("to", optional: &to, .time)
    }
}

extension LastIntent: Described {
    package static let objectName = "last"
    package static let blank = LastIntent(intent: .blank, op: .pause, from: .blank, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("intent", &intent, .id())
        try coder.field("op", &op, .word())
        try coder.field("from", &from, .node)
        try coder.field("at", &at, .time)
    }
}
