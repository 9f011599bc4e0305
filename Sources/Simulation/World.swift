// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// Several engines in one process, a broker, networks, disks and people, all in virtual time.
///
/// A world is determined by its scenario and the rules its engines keep: the same ones give the same events, to the
/// byte. It ends at the first violation, or when it has settled and everything that must hold then was checked.
struct World {
    let scenario: Scenario
    let rules: Rules
    var mix: Mix
    /// Virtual time in microseconds.
    var now: Int64 = 0
    var queue = EventQueue()
    var machines: [Machine] = []
    /// The ids of all nodes, of the one that nobody knows too.
    private(set) var everyone: [NodeID] = []
    var connections: [Connection] = []
    var brokers: [Broker]
    var isBridgeUp = true
    /// Packets under way; while there are any, nodes may rightly disagree.
    var underWay = 0
    /// Publishes that were more than a comparison of clocks.
    var said = 0
    var isHealed = false
    /// Payloads that were published, for somebody to publish again.
    var history: [Packet] = []
    var witness: Witness
    /// Counts how often the bridge broke.
    var bridgeBreaks = 0
    /// The last register of the node that nobody knows.
    var ghost: Packet?
    /// The peer that lies, silent where no act makes it speak.
    var liar = SpaceID("home").flatMap { Liar(space: $0) }
    var isLiarPresent = false
    /// The last intent of an honest node, for the liar to answer.
    var lastIntent: Intent?
    /// What the node that handles an input showed before it.
    var seenBefore: Seen?
    /// Group time of the node that gets an input, before it does.
    var timeBefore: Int64 = 0
    var service: LedgerService
    /// What was sent to it.
    var recorded: Set<RecordName> = []
    var counters = Counters()
    var trace: Trace
    var violation: Violation?
    var schedule: RandomStream
    var network: RandomStream
    var brokerage: RandomStream
    var probe: RandomStream
    var bookkeeping: RandomStream

    init(_ scenario: Scenario, rules: Rules = .all, isTelling: Bool = false) {
        self.scenario = scenario
        self.rules = rules
        mix = scenario.mix
        service = LedgerService(rules: rules)
        trace = Trace(isTelling: isTelling)
        schedule = RandomStream(seed: scenario.seed, .schedule)
        network = RandomStream(seed: scenario.seed, .network)
        brokerage = RandomStream(seed: scenario.seed, .broker)
        probe = RandomStream(seed: scenario.seed, .probe)
        bookkeeping = RandomStream(seed: scenario.seed, .ledger)
        witness = Witness(nodes: mix.nodes)
        brokers = Array(repeating: Broker(), count: scenario.mix.halves)
        makeMachines()
        everyone = machines.map(\.id) + [NodeID(Garbage.ghostNode), liar?.node].compactMap(\.self)
        for (index, act) in scenario.acts.enumerated() { queue.add(.act(index), at: act.at * 1_000) }
        queue.add(.heal, at: Int64(mix.trouble) * 1_000)
        planLedger()
    }

    private mutating func makeMachines() {
        guard let space = SpaceID("home") else { return }
        var random = RandomStream(seed: scenario.seed, .clocks)
        for index in 0..<mix.nodes {
            // Where clocks are very wrong, it is some of them.
            let skew = mix.skew > 4_000 && random.chance(500) ? 2_000 : mix.skew
            let clock = Clock(
                start: Int64(random.draw(10_000...90_000_000)), drift: Int64(random.draw(-mix.drift...mix.drift)),
                skew: Int64(random.draw(-skew...skew)), sync: Clock.Sync(rawValue: mix.sync) ?? .honest)
            let half = index % mix.halves
            let dialect = mix.dialects == 0 ? 0 : index % 3
            guard let engine = newEngine(of: index) else { return }
            machines.append(
                Machine(index: index, engine: engine, space: space, half: half, dialect: dialect, clock: clock))
            queue.add(.launch(index, life: 0), at: Int64(random.draw(0...200_000)))
        }
    }

    /// An engine that knows nothing, of the node's present boot.
    func newEngine(of index: Int) -> Engine? {
        let name = Names.node(index)
        guard let node = NodeID(name), let bootID = witness.nodes[index].bootID else { return nil }
        var configuration = Configuration(
            node: node, name: name, software: "sim", bootID: bootID,
            defaults: PhaseDefaults(shortBreak: 7, longBreak: 11, longBreakEvery: 3, focus: 20, countUpCap: 7_200))
        configuration.rules = rules
        return Engine(configuration: configuration)
    }

    /// Which of the machines has this id; `nil` for one that nobody knows.
    func place(of id: NodeID) -> Int? { machines.indices.first { machines[$0].id == id } }

    mutating func fail(_ check: Check, _ detail: @autoclosure () -> String) {
        guard violation == nil else { return }
        violation = Violation(check: check, detail: detail(), at: now)
    }

    /// Handles events until a time, or until something is wrong.
    mutating func run(until end: Int64) {
        while violation == nil, let next = queue.nextTime, next <= end, let (time, event) = queue.next() {
            now = max(now, time)
            if case .ledger(let event) = event {
                handle(event)
            } else {
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
            feed(.wake, to: node)
        case .written(let node, let life, let journal, let write):
            guard machines[node].life == life else { return }
            machines[node].write(journal)
            if write > machines[node].failed { machines[node].isFailing = false }
            machines[node].safe = write
            witnessRecords(upTo: write, of: node)
            witnessWritten(journal, by: node)
            feed(.journalled(write), to: node)
        case .goOn(let node, let nap): goOn(node, nap: nap)
        case .launch(let node, let life): launch(node, life: life)
        case .mend(let node, let trouble): if machines[node].trouble == trouble { machines[node].disk = .good }
        case .unblock(let connection): unblock(connection)
        case .clientTimeout(let connection): timeOutAtClient(connection)
        case .brokerTimeout(let connection): timeOutAtBroker(connection)
        case .bridgeUp(let number): raiseBridge(number)
        case .brokerUp(let half): brokers[half].isUp = true
        case .heal: heal()
        case .lied(let packet): answer(packet)
        case .ledger: break
        case .haunt:
            for packet in [ghost, liar?.last()].compactMap(\.self) {
                for half in brokers.indices { distribute(packet, at: half, bridged: true) }
            }
        }
    }

    /// A line of the trace.
    mutating func tell(_ line: @autoclosure () -> String) {
        if trace.isTelling { trace.tell(line(), at: now) }
    }
}

/// What a world did, in words if asked for, and always as a number.
struct Trace {
    let isTelling: Bool
    private(set) var lines: [String] = []
    private(set) var hash: UInt64 = 0
    /// Events handled.
    var count = 0

    init(isTelling: Bool) { self.isTelling = isTelling }

    mutating func tell(_ line: String, at time: Int64) {
        let fraction = String(time % 1_000_000 + 1_000_000).dropFirst()
        lines.append("\(time / 1_000_000).\(fraction) \(line)")
    }

    mutating func note(_ value: UInt64) { hash = Mixer.mix(hash ^ value) }

    /// Every byte counts.
    mutating func note(_ payload: [UInt8], at time: Int64) {
        var sum = UInt64(truncatingIfNeeded: time)
        for byte in payload { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        note(sum)
    }
}
