// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// The view and the own register of a node. A reference, since many checks read it and it seldom changes.
final class NodeSnapshot {
    let view: View
    let own: Register?
    /// The register that is shown. Under one version a node has one register, or another check fails.
    let shown: Key?
    /// Whether its own session lives although a larger one of another node is shown.
    let isOwnBelow: Bool

    struct Key: Equatable {
        var owner: NodeID
        var version: Version
        var stamp: Stamp
    }

    init(view: View, own: Register?) {
        self.view = view
        self.own = own
        let shown = view.register.map { Key(owner: $0.owner, version: $0.version, stamp: $0.stamp) }
        self.shown = shown
        if let own, own.status.isLive, let shown {
            isOwnBelow = shown.owner != own.owner && shown.stamp > own.stamp
        } else {
            isOwnBelow = false
        }
    }
}

/// A node's machine: clocks, disk, and the program with its core.
struct Machine {
    enum DiskMode: Int { case good, slow, full }

    let index: Int
    let codec: WireCodec
    /// The index of the half of the broker that it is connected to.
    let half: Int
    /// The version of the protocol. 0 is this one, 1 a later one with more fields, 2 an earlier one with fewer.
    let dialect: Int
    let id: NodeID
    var clock: Clock
    private var loop: CoreLoop
    /// The view and the register after the core's last event.
    private(set) var seen: NodeSnapshot

    // The program.
    /// The number of the program's life. Events for an earlier life are dropped.
    var life = 0
    var isAlive = false
    /// Whether the program is stopped or the machine sleeps.
    var isNapping = false
    /// The number of the latest nap. The end of an earlier one has no effect.
    var nap = 0
    /// Whether the program knows that the machine sleeps.
    var isSleeping = false
    /// The events that wait for the end of a nap.
    var backlog: [NodeCore.Event] = []
    /// The boot time of the wake that is planned.
    var armedFor: BootTime?
    /// The number of actions before the program dies, and the manner of its death; see ``lose(_:depth:)``.
    var doom: (effects: Int, loss: Int, down: Milliseconds)?

    // The disk.
    var disk = DiskMode.good
    /// The number of the disk's latest trouble. The repair of an earlier one has no effect.
    var trouble = 0
    /// The content of the journal's file.
    var onDisk: NodeCore.Write?
    /// Earlier contents of the file, newest last.
    var earlier: [NodeCore.Write?] = []
    /// When the last slow write completes.
    var diskLast = VirtualTime.start
    /// The number of writes that are not on the disk yet. Some may be due at this very time.
    var writing = 0
    var records = RecordFiles()
    /// Whether the last write failed.
    var isFailing = false
    /// The number of the last write that failed.
    var failed = 0

    // The network.
    var connection: Int?
    var isLinked = false
    /// The time until which a dial fails.
    var cutUntil = VirtualTime.start
    /// The time until which messages with a number are refused, and the outcome: 0 refused, 1 too large, 2 lost.
    var refusal: (until: VirtualTime, mode: Int)?

    // People.
    /// Whether the wall clock was set since the program last ran.
    var isStepUnnoticed = false
    /// The ticket of the latest request.
    var ticket = 0
    /// Requests without a reply, oldest first.
    var open: [Ticket: VirtualTime] = [:]
    /// Sessions and phases that people saw here, newest last.
    var sights: [(session: SessionID, phase: Int)] = []

    init(index: Int, core: NodeCore, half: Int, dialect: Int, clock: Clock) {
        self.index = index
        id = core.codec.me
        loop = CoreLoop(core)
        seen = NodeSnapshot(view: core.view, own: nil)
        self.half = half
        self.dialect = dialect
        self.clock = clock
        codec = core.codec
    }

    /// The core, read without a copy.
    var core: NodeCore { _read { yield loop.core } }
    var engine: Engine { _read { yield loop.core.engine } }
    var nextEvent: NodeCore.Event? { loop.nextEvent }

    mutating func add(_ event: NodeCore.Event) { loop.add(event) }

    /// Hands the core the next event, or lets it rest. Returns its actions; `nil` if it already rests. `input` is
    /// the engine's input for the event, or `wake` if it has none, and then the clock is not read.
    mutating func next(meaning input: Input?, at instant: Instant) -> [NodeCore.Action]? {
        let event = loop.nextEvent
        guard let actions = loop.next(at: instant) else { return nil }
        switch event {
        case nil: break
        case .input(.wake), .written: isStepUnnoticed = false
        // A message that is not read any more, since the connection is given up to a twin, does not reach the engine.
        case .received where core.isMakingWay: break
        default: if input != .wake { isStepUnnoticed = false }
        }
        // Each change of the own register is written.
        var own: Register??
        if case .restored(let found) = event { own = .some(found.journal?.own) }
        for case .write(let write) in actions { own = .some(write.journal.own) }
        if own != nil || core.view != seen.view { seen = NodeSnapshot(view: core.view, own: own ?? seen.own) }
        return actions
    }

    /// The core as a wake at this instant would leave it.
    func woken(at instant: Instant) -> NodeCore {
        var loop = CoreLoop(core)
        loop.add(.input(.wake))
        while loop.next(at: instant) != nil {}
        return loop.core
    }

    /// Begins another life of the program with this core.
    mutating func replace(_ core: NodeCore) {
        loop = CoreLoop(core)
        seen = NodeSnapshot(view: core.view, own: nil)
    }

    /// Whether a write would be on the disk at once, and those before it are confirmed to the program.
    var isDiskIdle: Bool {
        disk == .good && writing == 0
            && !backlog.contains { if case .written = $0 { true } else { false } }
    }

    var own: Register? { seen.own }

    mutating func write(_ write: NodeCore.Write) {
        earlier.append(onDisk)
        if earlier.count > 4 { earlier.removeFirst() }
        onDisk = write
    }

    /// Loses writes in a crash: `loss` 0 loses none, 1 the last ones, 2 all. Returns whether the program will find less
    /// than it had written.
    mutating func lose(_ loss: Int, depth: Int) -> Bool {
        let before = onDisk
        switch loss {
        case 1 where !earlier.isEmpty: onDisk = earlier[max(0, earlier.count - depth)]
        case 2: onDisk = nil
        default: break
        }
        earlier = []
        return onDisk?.json != before?.json
    }
}
