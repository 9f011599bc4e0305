// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// Several nodes in one process with a broker, networks, disks and people, in virtual time. The scenario determines a
/// world to the byte. It ends at the first violation, or when it has settled and all checks were made. Its words:
/// - *half*: one of the two brokers and what is connected to it; the *bridge* joins both;
/// - *life*: one run of a node's program, until it dies or is replaced; *doom* is the planned end of a life;
/// - *nap*: a time in which the program is stopped or its machine sleeps;
/// - *ghost*: a node outside of the world that left one session behind;
/// - *liar*: a hostile member with a valid password of its own; ``Liar/Lie`` and ``Hoax`` list its false messages;
/// - *witness*: the checks' own account of what happened, independent of the engines;
/// - *settling*: the time after the last act, in which all faults end and nodes must agree.
struct World {
    /// The largest number of events in a world. A world of some hours has a fortieth of it, and half of it if a false
    /// clock makes all nodes compare theirs again every five seconds on a slow network.
    private static let events = 4_000_000

    let scenario: Scenario
    var mix: Mix
    var now = VirtualTime.start
    var queue = EventQueue()
    var machines: [Machine] = []
    /// The ids of all nodes, the ghost and the liar.
    private(set) var everyone: [NodeID] = []
    var connections: [Connection] = []
    var brokers: [Broker]
    var isBridgeUp = true
    /// Packets in flight. While there are any, nodes may disagree.
    var underWay = 0
    /// The number of messages that each node has published, without pings and pongs.
    var published: [Int]
    /// Whether the faults have ended.
    var isHealed = false
    /// Published packets, for replays.
    var history: [Packet] = []
    var witness: Witness
    /// The number of the bridge's latest break. The end of an earlier one has no effect.
    var bridgeBreaks = 0
    /// The last register of the ghost.
    var ghost: Packet?
    var ghostStamp: GroupTime = 0
    /// The peer that lies; silent until an act makes it publish.
    var liar = SpaceID("home").flatMap { Liar(space: $0) }
    var isLiarPresent = false
    var hellos = 0
    /// Whether the liar is no member any more.
    var isLiarRevoked = false
    /// The liar's message that a node handles at present; also set while the node acts on it.
    var liarsMessage: Message?
    /// The last intent of an honest node, which the liar may answer.
    var lastIntent: Intent?
    /// The group time of a node before the input that it handles.
    var timeBefore: GroupTime = 0
    var service: LedgerService
    /// The records that were sent to the service.
    var recorded: Set<RecordName> = []
    var counters = Counters()
    var trace: EventLog
    var violation: Violation?
    // The streams of small choices, one for each ``Concern``.
    var schedule: RandomStream
    var network: RandomStream
    var probe: RandomStream
    var bookkeeping: RandomStream
    private var cores: RandomStream

    init(_ scenario: Scenario, isTelling: Bool = false) {
        self.scenario = scenario
        mix = scenario.mix
        service = LedgerService()
        trace = EventLog(isTelling: isTelling)
        schedule = RandomStream(seed: scenario.seed, .schedule)
        network = RandomStream(seed: scenario.seed, .network)
        probe = RandomStream(seed: scenario.seed, .probe)
        bookkeeping = RandomStream(seed: scenario.seed, .ledger)
        cores = RandomStream(seed: scenario.seed, .cores)
        witness = Witness(nodes: mix.nodes)
        published = Array(repeating: 0, count: mix.nodes)
        brokers = Array(repeating: Broker(), count: scenario.mix.halves)
        makeMachines()
        everyone = machines.map(\.id) + [NodeID(Garbage.ghostNode), liar?.node].compactMap(\.self)
        for (index, act) in scenario.acts.enumerated() { queue.add(.act(index), at: .start + act.at) }
        queue.add(.heal, at: .start + Milliseconds(mix.trouble))
        planLedger()
    }

    private mutating func makeMachines() {
        guard let space = SpaceID("home") else { return }
        var random = RandomStream(seed: scenario.seed, .clocks)
        for index in 0..<mix.nodes {
            // Large errors affect only some of the clocks.
            let skew = mix.skew > 4_000 && random.chance(500) ? 2_000 : mix.skew
            let clock = Clock(
                start: BootTime(Int64(random.draw(10_000...90_000_000))),
                drift: Int64(random.draw(-mix.drift...mix.drift)), skew: Milliseconds(random.draw(-skew...skew)),
                sync: Clock.Sync(rawValue: mix.sync) ?? .honest)
            let half = index % mix.halves
            let dialect = mix.dialects == 0 ? 0 : index % 3
            guard let core = newCore(of: index, in: space) else { return }
            machines.append(Machine(index: index, core: core, half: half, dialect: dialect, clock: clock))
            queue.add(.launch(index, life: 0), at: .start + Microseconds(random.draw(0...200_000)))
        }
    }

    /// Returns an empty core for the node's present boot.
    mutating func newCore(of index: Int, in space: SpaceID) -> NodeCore? {
        let name = Names.node(index)
        guard let node = NodeID(name), let bootID = witness.nodes[index].bootID else { return nil }
        let isService = isService(index)
        let identity = NodeIdentity(
            node: node, name: name, role: isService ? .service : .node, software: "sim", bootID: bootID,
            defaults: SessionDefaults(shortBreak: 7, longBreak: 11, longBreakEvery: 3, focus: 20, countUpCap: 7_200))
        return NodeCore(identity: identity, space: space, seed: cores.next())
    }

    /// Whether a node is a service, which owns no session.
    func isService(_ node: Int) -> Bool { mix.service != 0 && node == mix.nodes - 1 }
    /// Returns the index of the machine with this id; `nil` for the ghost and the liar.
    func place(of id: NodeID) -> Int? { machines.indices.first { machines[$0].id == id } }

    mutating func fail(_ check: Check, _ detail: @autoclosure () -> String) {
        guard violation == nil else { return }
        violation = Violation(check: check, detail: detail(), at: now)
    }

    /// Handles events until a time, or until a violation.
    mutating func run(until end: VirtualTime) {
        while violation == nil, let next = queue.nextTime, next <= end, let (time, event) = queue.next() {
            now = max(now, time)
            if trace.count > Self.events { fail(.settles, "more than \(Self.events) events") }
            switch event {
            case .ledger(let event): handle(event)
            // Not counted, so that other choices do not depend on confirmations.
            case .down(let connection, .confirmed(let number, let outcome)):
                arriveConfirmation(of: number, outcome, on: connection)
            default:
                trace.count += 1
                handle(event)
            }
        }
        if violation == nil { now = max(now, end) }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .act(let index): perform(scenario.acts[index])
        case .up(let connection, let frame): arriveUp(frame, on: connection)
        case .down(let connection, let frame): arriveDown(frame, on: connection)
        case .bridged(let half, let packet):
            underWay -= 1
            if isBridgeUp || isHealed { distribute(packet, at: half, bridged: true) }
        case .dial(let node, let life): dial(node, life: life)
        case .wake(let node, let life, let boot):
            guard machines[node].life == life, machines[node].armedFor == boot else { return }
            machines[node].armedFor = nil
            feed(.input(.wake), to: node)
        case .written(let node, let life, let write):
            guard machines[node].life == life else { return }
            disturb(node)
            machines[node].writing -= 1
            machines[node].write(write)
            if write.number > machines[node].failed { machines[node].isFailing = false }
            witnessRecords(upTo: write.number, of: node)
            witnessWritten(write.journal, by: node)
            feed(.written(write.number), to: node)
        case .rest(let connection, let time): closeAtClient(connection, redialAfter: time)
        case .goOn(let node, let nap): goOn(node, nap: nap)
        case .launch(let node, let life): launch(node, life: life)
        case .repairDisk(let node, let trouble): if machines[node].trouble == trouble { machines[node].disk = .good }
        case .unblock(let connection): unblock(connection)
        case .clientTimeout(let connection): timeOutAtClient(connection)
        case .brokerTimeout(let connection): timeOutAtBroker(connection)
        case .bridgeUp(let number): raiseBridge(number)
        case .brokerUp(let half): brokers[half].isUp = true
        case .heal: heal()
        case .lied(let packet): answer(packet)
        case .ledger: break
        case .haunt:
            for packet in [ghost, isLiarRevoked ? nil : liar?.repeatRegister()].compactMap(\.self) {
                for half in brokers.indices { distribute(packet, at: half, bridged: true) }
            }
        }
    }

    mutating func tell(_ line: @autoclosure () -> String) {
        if trace.isTelling { trace.tell(line(), at: now) }
    }
}

/// The events of a world: a hash, and lines of text if asked for.
struct EventLog {
    let isTelling: Bool
    private(set) var lines: [String] = []
    private(set) var hash: UInt64 = 0
    var count = 0

    init(isTelling: Bool) { self.isTelling = isTelling }

    mutating func tell(_ line: String, at time: VirtualTime) {
        let fraction = String(time.microseconds % 1_000_000 + 1_000_000).dropFirst()
        lines.append("\(time.microseconds / 1_000_000).\(fraction) \(line)")
    }

    mutating func note(_ value: UInt64) { hash = SplitMix64.mix(hash ^ value) }

    mutating func note(_ payload: [UInt8], at time: VirtualTime) {
        note(FNV.hash(payload.span, from: UInt64(truncatingIfNeeded: time.microseconds)))
    }
}
