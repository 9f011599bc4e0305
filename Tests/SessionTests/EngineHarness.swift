// SPDX-License-Identifier: Apache-2.0

import API
import Core
import Testing
import Wire

@testable import Session

/// One core with virtual clocks, a disk and a link whose behaviour a test chooses. It hands messages over without their
/// bytes, so that a test can forge values that no codec lets through.
struct EngineHarness {
    enum DiskMode { case atOnce, later, failing }

    private var loop: CoreLoop
    var boot: BootTime
    /// The group time that the wall clock tells, right or wrong; that of the engine is ``groupTime``.
    var told: GroupTime
    /// The kernel's error bound of the wall clock; `nil` if it does not vouch.
    var wallBound: Milliseconds? = 5
    /// The clocks of the nodes that answer a ping.
    var clocks: [NodeID: PeerClock] = [:]
    /// The messages that arrive later, the earliest first.
    var arriving: [Arrival] = []
    var disk = DiskMode.atOnce
    /// Whether what is published on the own topic comes back.
    var echoes = true
    var barriers = true
    /// Off where a test forges registers of this very node at the end of all bounds.
    var checksFlaws = true
    var journal: Journal?
    var pendingWrites: [(Journal, Int)] = []
    var published: [Message] = []
    var replies: [Ticket: Reply] = [:]
    var records: [LedgerRecord] = []
    var notes: [EngineNote] = []
    var log: [Effect] = []
    var ticket = 0
    private var connections = 0

    static let epoch: GroupTime = 1_790_000_000_000

    init(
        _ node: String = "desk", bootID: String = "boot-1", boot: BootTime = 1_000_000,
        telling told: GroupTime = EngineHarness.epoch,
        wallBound: Milliseconds? = 5, journal: Journal? = nil, role: Role = .node, mayPress: Bool = true,
        publishesPresence: Bool = true, defaults: SessionDefaults = SessionDefaults()
    ) {
        let identity = NodeIdentity(
            node: id(node), name: node, role: role, mayPress: mayPress, software: "test", bootID: token(bootID),
            publishesPresence: publishesPresence, defaults: defaults)
        loop = CoreLoop(NodeCore(identity: identity, space: space, seed: 1))
        self.boot = boot
        self.told = told
        self.wallBound = wallBound
        self.journal = journal
        send(.restored(journal))
    }

    var core: NodeCore { loop.core }
    var engine: Engine { loop.core.engine }
    var now: Instant { Instant(boot: boot, telling: told, bound: wallBound) }
    var own: Register? { engine.ownership.journal.own }
    var node: NodeID { engine.identity.node }
    var moment: Moment? { engine.view.moment(at: boot) }
    var registers: [Register] {
        published.compactMap { if case .register(let register) = $0 { register } else { nil } }
    }
    var answers: [Answer] {
        published.compactMap { if case .ack(.answer(let answer)) = $0 { answer } else { nil } }
    }
    var intents: [Intent] {
        published.compactMap { if case .intent(let intent) = $0 { intent } else { nil } }
    }
    var presences: [Presence] {
        published.compactMap { if case .presence(let presence) = $0 { presence } else { nil } }
    }

    /// Hands one input over and carries out its actions, and checks the conditions that always hold.
    mutating func send(_ input: Input) {
        add(input)
        run()
    }

    private mutating func run() {
        while let actions = loop.next(at: now) { for action in actions { perform(action) } }
        if let wake = core.nextWake { #expect(wake > boot, "nextWake \(wake) is not after \(boot)") }
    }

    /// Adds an input; an event, where the core has one for it.
    mutating func add(_ input: Input) {
        switch input {
        case .restored(let journal, _): add(.restored(NodeCore.Restored(journal: journal)))
        case .linkUp(let connection, let hearsItself): add(.connected(connection, hearsItself: hearsItself))
        case .linkDown: add(.disconnected(willRetry: true))
        case .journalFailed(let write): add(.writeFailed(write))
        default: add(.input(input))
        }
    }

    private mutating func add(_ event: NodeCore.Event) { loop.add(event) }

    private mutating func perform(_ action: NodeCore.Action) {
        switch action {
        case .write(let write):
            for record in write.waiting.map(\.record) + [write.journal.record].compactMap(\.self)
            where records.last(where: { $0.id == record.id }) != record {
                #expect(!checksFlaws || record.invalidField == nil, "\(record.invalidField ?? "")")
                records.append(record)
            }
            log.append(.journal(write.journal, write: write.number))
            switch disk {
            case .atOnce:
                pendingWrites = []
                journal = write.journal
                add(.written(write.number))
            case .later: pendingWrites.append((write.journal, write.number))
            case .failing: add(.journalFailed(write.number))
            }
        case .send(_, let confirmation, of: let message):
            if let message { publish(message) }
            if let confirmation { add(.sent(confirmation, .delivered)) }
        case .subscribe: if let connection = core.connection, barriers { add(.barrierPassed(connection)) }
        case .reply(let ticket, let reply):
            log.append(.reply(ticket, reply))
            #expect(replies[ticket] == nil, "two replies for one ticket")
            replies[ticket] = reply
        case .log(.engine(let note)):
            log.append(.log(note))
            notes.append(note)
        default: break
        }
    }

    private mutating func publish(_ message: Message) {
        log.append(.publish(message))
        #expect(engine.link.isUp, "published without a link")
        published.append(message)
        if case .ping(let ping, let to) = message { answer(ping, for: to) }
        if case .register(let register) = message {
            #expect(!checksFlaws || register.invalidField == nil)
            #expect(journal?.own == register, "published before it was on disk")
        }
        switch message {
        // A message from before the subscriptions returns as retained.
        case .presence where echoes, .register where echoes:
            add(.received(message, from: node, retained: engine.link.barrierDeadline != nil))
        default: break
        }
    }

    /// Answers the writes that a slow disk has kept.
    mutating func flush() {
        while !pendingWrites.isEmpty { flushOne() }
    }

    mutating func flushOne() {
        let (state, write) = pendingWrites.removeFirst()
        journal = state
        add(.written(write))
        run()
    }

    /// Lets time pass: wakes the core when it asks for it, and delivers messages when they are due.
    mutating func pass(_ time: Milliseconds) {
        let end = boot + time
        while true {
            if let first = arriving.first, first.at <= min(end, core.nextWake ?? end) {
                arriving.removeFirst()
                move(to: max(first.at, boot))
                send(.received(first.message, from: first.sender, retained: false))
            } else if let wake = core.nextWake, wake <= end, wake > boot {
                move(to: wake)
                send(.wake)
            } else {
                return move(to: end)
            }
        }
    }

    /// Lets time pass without waking the engine.
    mutating func move(to boot: BootTime) {
        told += boot - self.boot
        self.boot = boot
    }

    @discardableResult
    mutating func start(
        _ plan: String, id session: String = "S1", mode: Mode = .countdown, autoAdvance: Bool = false,
        title: String = ""
    ) -> Reply? {
        ticket += 1
        let phases = (try? PlanParser.phases(of: plan)) ?? []
        send(
            .start(
                Start(title: title, mode: mode, plan: phases, autoAdvance: autoAdvance), id: token(session),
                ticket: ticket))
        return replies[ticket]
    }

    @discardableResult
    mutating func press(
        _ operation: IntentOperation, id: String? = nil, session: String? = nil, phase: Int? = nil
    ) -> Reply? {
        ticket += 1
        let press = Press(operation, session: session.map { token($0) }, phase: phase)
        send(.press(press, id: token(id ?? "press-\(ticket)"), ticket: ticket))
        return replies[ticket]
    }

    mutating func linkUp(hearsItself: Bool = true) {
        connections += 1
        send(.linkUp(token("conn-\(node)-\(connections)"), hearsItself: hearsItself))
    }

    /// Connects to a broker that has kept these messages.
    mutating func linkUp(finding kept: [(sender: String, message: Message)]) {
        barriers = false
        linkUp()
        for (sender, message) in kept { hear(message, from: sender, retained: true) }
        if let connection = engine.link.connection { send(.barrierPassed(connection)) }
    }

    /// The node after it has been connected, and has started a session if there is a plan.
    func linked(starting plan: String? = nil) -> EngineHarness {
        var rig = self
        rig.linkUp()
        if let plan { rig.start(plan) }
        return rig
    }

    /// The node after it has heard that `kitchen` is online, and of its session.
    func besideKitchen(_ register: Register? = nil) -> EngineHarness {
        var rig = self
        rig.hear(.presence(presence("k1")), from: "kitchen")
        if let register { rig.hear(.register(register), from: "kitchen") }
        return rig
    }

    mutating func hear(_ message: Message, from sender: String, retained: Bool = false) {
        send(.received(message, from: id(sender), retained: retained))
    }

    /// Delivers the bytes of a message, for what the core reads in a message.
    mutating func deliver(_ message: Message, from sender: String) {
        let outgoing = WireCodec(space: space, me: id(sender)).encode(message)
        let packet = NodeCore.Packet(topic: outgoing.topic, payload: outgoing.payload, isRetained: false)
        add(NodeCore.Event.received(packet))
        run()
    }

    mutating func hear(_ intent: Intent, retained: Bool = false) {
        send(.received(.intent(intent), from: intent.from, retained: retained))
    }

    /// An intent of `kitchen` for the own session as it stands.
    func intent(
        _ operation: IntentOperation, id: String = "I1", session: String? = nil, phase: Int? = nil,
        life: Milliseconds = 30_000
    ) -> Intent {
        let target: SessionID = session.map { token($0) } ?? own?.id ?? token("none")
        return Intent(
            id: token(id), lineage: own?.lineage ?? target, session: target, phase: phase ?? own?.phase,
            operation: operation, from: .kitchen, at: told, expiresAt: told + life)
    }
}

private let space: SpaceID = SpaceID("home") ?? { preconditionFailure("home is a space") }()

/// The id `text`; a typing error in a test ends up as `bad-id`.
func id(_ text: String) -> NodeID { NodeID(text) ?? id("bad-id") }

func token<Kind>(_ text: String) -> Token<Kind> {
    guard let token = Token<Kind>(text) else { preconditionFailure("\(text) is no id") }
    return token
}

extension NodeID {
    static let kitchen = SessionTests.id("kitchen")
}

func plan(_ text: String) -> [Phase] { (try? PlanParser.phases(of: text)) ?? [] }

func outcome(_ reply: Reply?) -> IntentOutcome? {
    if case .answered(let answer) = reply { answer.outcome } else { nil }
}

/// A running register of another node, started at `at` in group time.
func peerRegister(
    _ node: String = "kitchen", session: String = "P1", plan text: String = "focus 25m", mode: Mode = .countdown,
    at: GroupTime = EngineHarness.epoch, boot: BootTime = 5_000_000, bootID: String = "boot-p", epoch: Int = 1,
    rev: Int = 1,
    autoAdvance: Bool = false, status: Status = .running, elapsed: Milliseconds = 0, counter: Int = 0
) -> Register {
    Register(
        id: token(session), lineage: token(session), stamp: Stamp(time: at, counter: counter, node: id(node)),
        epoch: epoch, rev: rev, owner: id(node), title: "", icon: nil, label: nil, mode: mode, plan: plan(text),
        autoAdvance: autoAdvance, phase: 0, status: status, startedAt: at,
        anchor: Anchor(elapsed: elapsed, at: at, bootID: token(bootID), boot: boot),
        runs: [Run(phase: 0, from: at, to: status == .running ? nil : at)])
}

func presence(_ connection: String, online: Bool = true, sleeping: Bool = false) -> Presence {
    Presence(
        isOnline: online, connection: token(connection), role: .node, name: "n", at: EngineHarness.epoch,
        clock: ClockQuality(isSynced: true), software: "t", isSleeping: sleeping)
}

extension Instant {
    /// An instant at which the wall clock tells this time.
    init(boot: BootTime, telling time: GroupTime, bound: Milliseconds? = nil) {
        self.init(boot: boot, wall: WallTime(time.milliseconds), wallBound: bound)
    }
}

extension GroupTime {
    @_disfavoredOverload
    static func - (time: GroupTime, boot: BootTime) -> Lead { Lead(of: time, over: boot) }
    static func -= (time: inout GroupTime, duration: Milliseconds) { time = time - duration }
}

extension Run {
    var length: Milliseconds { (to ?? from) - from }
}
