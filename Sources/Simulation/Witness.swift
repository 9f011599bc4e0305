// SPDX-License-Identifier: Apache-2.0

import Session

/// What the checks remember of a world: an account of their own, beside the engines'.
struct Witness {
    /// What is remembered of one node.
    struct Node {
        private var boots = 0
        /// The boot that its machine is in.
        private(set) var bootID: BootID?
        /// The largest version that it published.
        var version: Version?
        /// The same, over all losses of its journal.
        var topVersion: Version?
        /// What it published, by version.
        var published: [Version: Register] = [:]
        /// What it last wrote, or meant to.
        var own: Register?
        /// Its session and the start of it, once that is dated by a clock that a kernel vouches for.
        var dated: (session: SessionID, startedAt: Int64, epoch: Int)?
        /// How long its session has run.
        var tally: World.Tally?
        /// Per owner, the largest version that it has shown in this life.
        var shown: [NodeID: Version] = [:]
        /// What it showed last.
        var moment: Shown?
        /// Intents that it refused in this life.
        var refused: Set<IntentID> = []
        /// The largest epoch of its own registers that it was told of in this life.
        var foundEpoch = 0
        /// When its present connection was made, on its boot clock.
        var linkedAt: Int64?
        /// Whether, in this life, it has looked at what the broker keeps of it.
        var hasLooked = false
        /// What it is about to write.
        var meant: [(write: Int, own: Register, record: LedgerRecord)] = []
        /// What of its own was last on disk.
        var recorded: Register?
        /// When it last heard fewer than two honest clocks that are vouched for, beside a false one.
        var exposedAt: Int64?
        /// What the liar has caused in a second.
        var lately: (second: Int64, counts: [World.Caused: Int]) = (0, [:])
        /// Whether its disk once lost what it had promised to keep.
        var isForgetful = false

        mutating func reboot(as name: String) {
            boots += 1
            bootID = BootID("boot-\(name)\(boots)")
        }
    }

    /// A time that a node showed.
    struct Shown {
        var session: SessionID
        var owner: NodeID
        var version: Version
        var phase: Int
        var elapsed: Int64
        var error: Int64?

        init(_ moment: Moment) {
            session = moment.register.id
            owner = moment.register.owner
            version = moment.register.version
            phase = moment.register.phase
            elapsed = moment.elapsed
            error = moment.error
        }
    }

    /// What an intent asked for.
    struct Asked {
        var session: SessionID
        var phase: Int?
        var operation: Session.Operation
        var expiresAt: Int64
    }

    /// Where an intent took effect.
    struct Effect: Equatable {
        var node: NodeID
        var version: Version
        var session: SessionID
    }

    /// Where a session comes from.
    struct Origin {
        var lineage: SessionID
        var parent: SessionID?
        /// Of the parent's owner, when it was continued.
        var version: Version
    }

    var nodes: [Node]
    var asked: [IntentID: Asked] = [:]
    var sent: Set<IntentID> = []
    var effects: [IntentID: [Effect]] = [:]
    var origins: [SessionID: Origin] = [:]
    var finals: [SessionID: Status] = [:]
    /// Sessions that were started without a connection and not yet shown elsewhere.
    var offline: Set<SessionID> = []
    /// When each session was started, in milliseconds since 1970.
    var starts: [SessionID: Int64] = [:]
    /// The boot of the owner in which a session was begun, where no kernel vouched for the owner's clock.
    var guessedIn: [SessionID: BootID] = [:]
    /// Sessions whose owner went by a time that a false clock could tell.
    var exposed: Set<SessionID> = []
    /// Sessions of which a register was published.
    var published: Set<SessionID> = []
    /// What the ledger must hold.
    var records: [SessionID: Record] = [:]

    init(nodes count: Int) {
        nodes = Array(repeating: Node(), count: count)
        for index in nodes.indices { nodes[index].reboot(as: Names.node(index)) }
    }

    /// A new life of a program: what its last one showed and refused does not bind it.
    mutating func relaunch(_ node: Int, own: Register?) {
        nodes[node].own = own
        nodes[node].dated = nil
        nodes[node].shown = [:]
        nodes[node].moment = nil
        nodes[node].refused = []
        nodes[node].foundEpoch = 0
        nodes[node].linkedAt = nil
        nodes[node].hasLooked = false
        nodes[node].meant = []
    }

    /// The disk lost what it had promised to keep: the node cannot be held to it.
    mutating func forget(_ node: Int, id: NodeID, sessions: Set<SessionID>) {
        nodes[node].isForgetful = true
        nodes[node].version = nil
        nodes[node].published = [:]
        for intent in effects.keys { effects[intent]?.removeAll { $0.node == id } }
        for session in sessions { finals[session] = nil }
    }
}

extension World {
    mutating func forget(_ node: Int) {
        let sessions = Set(witness.nodes[node].published.values.map(\.id))
        witness.forget(node, id: machines[node].id, sessions: sessions)
    }
}
