// SPDX-License-Identifier: Apache-2.0

import API
import Settings
import Testing

@testable import NodeRuntime
@testable import Session

/// A session that its owner changes, and a node that looks at it. Only ``passes(_:)`` moves its clocks.
struct SessionScript {
    static let start: GroupTime = 1_800_000_000_000
    /// The lead of group time over the boot clock.
    static let lead = Lead(of: start, over: 5_000_000)

    var now = start
    var events = SessionEvents(beginningAt: start)
    var contactLostAt: GroupTime?
    var register: Register?
    var node = NodeID("kitchen")
    var acknowledgedAt: GroupTime?
    private var count = 0

    mutating func begin(
        _ plan: String, on owner: String = "desk", autoAdvance: Bool = false, alarm: Bool = false,
        overtime: Bool = false
    ) throws {
        let phases = try PlanParser.phases(of: plan)
        let owner = try #require(NodeID(owner))
        let id = try #require(SessionID("s\(count)"))
        count += 1
        var register = Register(
            id: id, lineage: id, stamp: Stamp(time: now, counter: count, node: owner), epoch: 1, rev: Int(count),
            owner: owner, title: "Reading", icon: nil, label: nil, mode: .countdown, plan: phases,
            autoAdvance: autoAdvance, hasAlarm: alarm, hasOvertime: overtime, phase: 0, status: .running,
            startedAt: now, anchor: try anchor(), runs: [])
        register.openRun()
        self.register = register
    }

    mutating func does(_ operation: IntentOperation) throws {
        var changed = try present()
        #expect(changed.perform(operation, defaults: SessionDefaults()) == .applied)
        changed.rev += 1
        register = changed
    }

    /// Lets another node continue the session, with `operation` applied.
    mutating func goesOn(on owner: String, by operation: IntentOperation? = nil) throws {
        var base = try present()
        if let operation { #expect(base.perform(operation, defaults: SessionDefaults()) == .applied) }
        base.continues = Continuation(node: base.owner, epoch: base.epoch, rev: base.rev, at: now)
        base.id = try #require(SessionID("s\(count)"))
        count += 1
        base.owner = try #require(NodeID(owner))
        base.stamp = Stamp(time: now, counter: count, node: base.owner)
        base.rev = 1
        register = base
    }

    func present() throws -> Register {
        let register = try #require(register)
        let advanced = register.advanced(since: now - register.anchor.at)
        let anchor = try anchor()
        let context = Context(
            node: advanced.owner, bootID: anchor.bootID,
            now: Instant(boot: anchor.boot, wall: WallTime(now.milliseconds)),
            source: .plausible, areClocksKnown: true, groupTime: now)
        return advanced.anchored(since: now - advanced.anchor.at, context)
    }

    private func anchor() throws -> Anchor {
        Anchor(elapsed: 0, at: now, bootID: try #require(BootID("boot")), boot: now - Self.lead)
    }

    mutating func passes(_ seconds: Int64) { now += .seconds(seconds) }

    mutating func looks(at register: Register? = nil, latest: Register? = nil) -> [SessionEvent] {
        events.look(look(at: register, latest: latest))
    }

    /// The names of the reported events; late ones end in `late`.
    mutating func newEvents() -> [String] {
        looks().map { $0.name.rawValue + ($0.isLate ? " late" : "") }
    }

    func look(at register: Register? = nil, latest: Register? = nil) -> SessionEvents.Look {
        SessionEvents.Look(view: view(of: register), boot: now - Self.lead, groupTime: now, latest: latest)
    }

    func view(of other: Register? = nil) -> View {
        let register = other ?? register
        return View(
            register: register, anchorBoot: (register?.anchor.at ?? 0) - Self.lead, error: ErrorBound(),
            contactLostAt: contactLostAt.map { $0 - Self.lead }, isOwner: register?.owner == node, isLinked: true,
            acknowledgedAt: acknowledgedAt)
    }

    mutating func restarts() throws {
        events = try SessionEvents(json: events.json, beginningAt: now)
    }
}
