// SPDX-License-Identifier: Apache-2.0

package import Session

extension Register {
    /// The register as its node publishes it.
    package func json() -> [UInt8] { Self.fields.payload(self) }

    package static let fields = Fields("register", blank: blank, author: \.owner, invalidField: \.invalidField) {
        Field("id", \.id, .id())
        Field("lineage", \.lineage, .id(), absent: \.id)
        Field("continues", optional: \.continues, .object(Continuation.fields))
        Field("stamp", \.stamp, .array(Stamp.fields))
        Field("epoch", \.epoch, .counter)
        Field("owner", \.owner, .node)
        Field("title", \.title, .textOrEmpty(Limits.titleBytes), absent: { _ in "" })
        Field("activityName", written: .string, \.title)
        Field("icon", optional: \.icon, .text(Limits.iconBytes))
        Field("label", optional: \.label, .object(Label.fields))
        Field("mode", \.mode, .word)
        Field("plan", \.plan, .list(of: .object(Phase.fields), 1...Limits.phases))
        Field("autoAdvance", \.autoAdvance, .bool)
        Field("startedAt", \.startedAt, .time)
        Field("startTime", written: .time, \.startedAt)
        Field("rev", \.rev, .counter)
        Field("phase", \.phase, .whole(0...Limits.phases - 1))
        Field("status", \.status, .word)
        Field("anchor", \.anchor, .object(Anchor.fields))
        Field("endsAt", written: .time, \.endsAt)
        Field("runs", \.runs, .list(of: .array(Run.fields), 0...Limits.runs))
        Field("applied", \.applied, .list(of: .id(), 0...Limits.applied), absent: { _ in [] })
        Field("last", optional: \.last, .object(LastIntent.fields))
        Field("supersededBy", optional: \.supersededBy, .object(Superseder.fields))
        Field("elapsedSeconds", written: .whole) { $0.anchor.elapsed / 1_000 }
        Field("totalSeconds", written: .nullable(.whole)) {
            .some($0.mode == .countdown ? $0.currentPhase.seconds : nil)
        }
        Field("isRunning", written: .bool) { $0.status == .running }
    }

    private static let blank = Register(
        id: .blank, lineage: .blank, stamp: Stamp(time: 0, counter: 0, node: .blank), epoch: 0, rev: 0, owner: .blank,
        title: "", icon: nil, label: nil, mode: .countdown, plan: [], autoAdvance: false, phase: 0, status: .running,
        startedAt: 0, anchor: Anchor(elapsed: 0, at: 0, bootID: .blank, boot: 0), runs: [])
}

extension Continuation {
    fileprivate static let fields = Fields("continuation", blank: Continuation(node: .blank, epoch: 0, rev: 0, at: 0)) {
        Field("node", \.node, .node)
        Field("epoch", \.epoch, .counter)
        Field("rev", \.rev, .counter)
        Field("at", \.at, .time)
    }
}

extension Phase {
    fileprivate static let fields = Fields("phase", blank: Phase(kind: .focus, seconds: 0)) {
        Field("kind", \.kind, .word)
        Field("name", optional: \.name, .text(Limits.nameBytes))
        Field("seconds", \.seconds, .whole(Limits.phaseSeconds))
        Field("added", \.added, .whole(0...Limits.phaseSeconds.upperBound - 1), unless: 0)
    }
}

extension Anchor {
    fileprivate static let fields = Fields("anchor", blank: Anchor(elapsed: 0, at: 0, bootID: .blank, boot: 0)) {
        Field("elapsed", \.elapsed, .whole(0...1_000 * Int64(Limits.phaseSeconds.upperBound)))
        Field("at", \.at, .time)
        Field("bound", optional: \.bound, .reading)
        Field("bootId", \.bootID, .id())
        Field("boot", \.boot, .reading)
    }
}

extension Run {
    fileprivate static let fields = Fields("run", blank: Run(phase: 0, from: 0)) {
        Field("phase", \.phase, .whole(0...Limits.phases - 1))
        Field("from", \.from, .time)
        Field("to", optional: \.to, .time)
    }
}

extension LastIntent {
    fileprivate static let fields = Fields("last", blank: LastIntent(intent: .blank, op: .pause, from: .blank, at: 0)) {
        Field("intent", \.intent, .id())
        Field("op", \.op, .word)
        Field("from", \.from, .node)
        Field("at", \.at, .time)
    }
}
