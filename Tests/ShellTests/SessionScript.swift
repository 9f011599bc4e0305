// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session
@testable import Shell

/// A session as its owner would change it, and a node that looks at it. Group time and this machine's boot clock go
/// together; the clock of the script only moves when it is told to.
struct SessionScript {
    static let start: Int64 = 1_800_000_000_000
    /// What the boot clock reads beyond group time.
    static let lead: Int64 = 5_000_000 - start

    var now = start
    var events = SessionEvents(beginningAt: start)
    var contactLostAt: Int64?
    /// The session that is current; owned by `desk` unless it says otherwise.
    var register: Register?
    /// The node that looks.
    var node = NodeID("kitchen")
    private var count = 0

    // MARK: The owner

    mutating func begin(_ plan: String, on owner: String = "desk", autoAdvance: Bool = false) throws {
        let phases = try PlanGrammar.phases(of: plan)
        let owner = try #require(NodeID(owner))
        let id = try #require(SessionID("s\(count)"))
        count += 1
        var register = Register(
            id: id, lineage: id, stamp: Stamp(time: now, counter: count, node: owner), epoch: 1, rev: Int(count),
            owner: owner, title: "Reading", icon: nil, label: nil, mode: .countdown, plan: phases,
            autoAdvance: autoAdvance, phase: 0, status: .running, startedAt: now, anchor: try anchor(), runs: [])
        register.openRun()
        self.register = register
    }

    mutating func does(_ operation: Session.Operation) throws {
        var changed = try present()
        #expect(changed.perform(operation, defaults: PhaseDefaults()) == .applied)
        changed.rev += 1
        register = changed
    }

    /// The session goes on at another node, changed by an operation if there is one.
    mutating func goesOn(on owner: String, by operation: Session.Operation? = nil) throws {
        var base = try present()
        if let operation { #expect(base.perform(operation, defaults: PhaseDefaults()) == .applied) }
        base.continues = Continuation(node: base.owner, epoch: base.epoch, rev: base.rev, at: now)
        base.id = try #require(SessionID("s\(count)"))
        count += 1
        base.owner = try #require(NodeID(owner))
        base.stamp = Stamp(time: now, counter: count, node: base.owner)
        base.rev = 1
        register = base
    }

    /// The register as it stands, anchored at the present.
    func present() throws -> Register {
        let register = try #require(register)
        let advanced = register.advanced(since: now - register.anchor.at)
        let anchor = try anchor()
        return advanced.anchored(
            at: now, bound: nil, boot: anchor.boot, bootID: anchor.bootID, since: now - advanced.anchor.at)
    }

    private func anchor() throws -> Anchor {
        Anchor(elapsed: 0, at: now, bootID: try #require(BootID("boot")), boot: now + Self.lead)
    }

    // MARK: The node that looks

    mutating func passes(_ seconds: Int64) { now += seconds * 1_000 }

    mutating func looks(at register: Register? = nil, latest: Register? = nil) -> [SessionEvent] {
        events.look(look(at: register, latest: latest))
    }

    /// The names of what is told, with `late` behind those that are.
    mutating func tells() -> [String] {
        looks().map { $0.name.rawValue + ($0.isLate ? " late" : "") }
    }

    func look(at register: Register? = nil, latest: Register? = nil) -> SessionEvents.Look {
        SessionEvents.Look(view: view(of: register), boot: now + Self.lead, groupTime: now, latest: latest)
    }

    func view(of other: Register? = nil) -> View {
        let register = other ?? register
        return View(
            register: register, anchorBoot: (register?.anchor.at ?? 0) + Self.lead, error: ErrorBound(),
            contactLostAt: contactLostAt.map { $0 + Self.lead }, isOwner: register?.owner == node, isLinked: true)
    }

    /// The process ends, and another begins.
    mutating func restarts() throws {
        events = try SessionEvents(json: events.json, beginningAt: now)
    }
}
