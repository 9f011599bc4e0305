// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// What a node shows, and its own register. By reference: everybody looks at it all the time, and it seldom changes.
final class Seen {
    let view: View
    let own: Register?
    /// Which register is shown: under one version no node has two, or another check fails.
    let shown: Key?
    /// Whether a live session of its own goes on below another's that is shown.
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

/// A node's machine: clocks, disk, and the program with its engine.
struct Machine {
    /// How a disk behaves.
    enum DiskMode: Int { case good, slow, full }

    let index: Int
    let codec: WireCodec
    let half: Int
    /// 0 speaks the protocol of this version, 1 adds fields of a later one, 2 leaves out what an earlier one lacked.
    let dialect: Int
    let id: NodeID
    var clock: Clock
    private(set) var engine: Engine
    /// What the engine shows and owns since its last input.
    private(set) var seen: Seen
    /// When the engine wants to be woken since then, on the boot clock.
    private(set) var nextWake: Int64?

    // The program.
    /// Counts the program's lives; what was meant for an earlier one is dropped.
    var life = 0
    var isAlive = false
    /// Stands still: stopped, or the machine sleeps.
    var isNapping = false
    var nap = 0
    var backlog: [Input] = []
    var armedFor: Int64?
    /// How many more effects the program carries out before it dies, and how.
    var doom: (effects: Int, loss: Int, down: Int)?

    // The disk.
    var disk = DiskMode.good
    var trouble = 0
    var onDisk: Journal?
    /// What the file held before, newest last.
    var earlier: [Journal?] = []
    var diskLast: Int64 = 0
    /// The last write of this life that is on disk.
    var safe = 0
    /// The ledger records.
    var outbox = Outbox(Shelf())
    /// When the outbox tries again, on the boot clock.
    var retryAt: Int64?
    /// Whether the last write failed.
    var isFailing = false
    /// The number of the last write that failed.
    var failed = 0

    // The network.
    /// The connection that the program dials on or uses.
    var connection: Int?
    var isLinked = false
    /// Until when a dial gets nowhere.
    var cutUntil: Int64 = 0

    // People.
    /// Whether the wall clock was set since the program was last awake.
    var isStepUnnoticed = false
    var ticket = 0
    /// Requests without a reply, oldest first.
    var open: [Ticket: Int64] = [:]
    /// Sessions and phases that people saw here, newest last.
    var sights: [(session: SessionID, phase: Int)] = []

    init(index: Int, engine: Engine, space: SpaceID, half: Int, dialect: Int, clock: Clock) {
        self.index = index
        id = engine.configuration.node
        self.engine = engine
        seen = Seen(view: engine.view, own: nil)
        self.half = half
        self.dialect = dialect
        self.clock = clock
        codec = WireCodec(space: space, me: id)
    }

    /// Hands the engine an input.
    mutating func handle(_ input: Input, at instant: Instant) -> [Effect] {
        let changes = engine.viewChanges
        let effects = engine.handle(input, at: instant) + engine.refresh(at: instant)
        isStepUnnoticed = false
        // Whatever changes the own register writes it down.
        var own: Register??
        if case .restored(let journal) = input { own = .some(journal?.own) }
        for case .journal(let journal, _) in effects { own = .some(journal.own) }
        if own != nil || engine.viewChanges != changes { seen = Seen(view: engine.view, own: own ?? seen.own) }
        nextWake = engine.nextWake
        return effects
    }

    /// The program is launched again.
    mutating func replace(_ engine: Engine) {
        self.engine = engine
        seen = Seen(view: engine.view, own: nil)
        nextWake = engine.nextWake
    }

    /// The register of this node.
    var own: Register? { seen.own }

    mutating func write(_ journal: Journal) {
        earlier.append(onDisk)
        if earlier.count > 4 { earlier.removeFirst() }
        onDisk = journal
    }

    /// What a crash takes from the disk.
    /// - Returns: Whether the program will find less than it had written.
    mutating func lose(_ loss: Int, depth: Int) -> Bool {
        let before = onDisk
        switch loss {
        case 1 where !earlier.isEmpty: onDisk = earlier[max(0, earlier.count - depth)]
        case 2: onDisk = nil
        default: break
        }
        earlier = []
        return onDisk != before
    }
}
