// SPDX-License-Identifier: Apache-2.0

import Session

/// The checks' own account of a world, independent of the engines.
struct Witness {
    /// The ends of alarms and messages that were asked for.
    var spoken: Set<IntentID> = []
    /// When the last alarm that a person ended had begun, for each lineage.
    var endedAlarms: [SessionID: GroupTime] = [:]
    /// Whether a program or a broker has died.
    var hasDied = false
    /// Whether halves that keep retained messages separately were apart.
    var isParted = false

    /// The account of one node.
    struct Node {
        private var boots = 0
        /// The present boot of its machine.
        private(set) var bootID: BootID?
        /// The largest version that it has published.
        var version: Version?
        /// The largest version over all losses of its journal.
        var topVersion: Version?
        /// The registers that it published, by version.
        var published: [Version: Register] = [:]
        /// The register that it last wrote or was about to write.
        var own: Register?
        /// Its session with the start, once a vouched clock has dated it.
        var dated: (session: SessionID, startedAt: GroupTime, epoch: Int)?
        /// The running time of its session.
        var tally: World.Tally?
        /// The largest version that it has shown in this life, by owner.
        var shown: [NodeID: Version] = [:]
        /// The time that it showed last.
        var moment: Moment?
        /// Intents that it refused in this life.
        var refused: Set<IntentID> = []
        /// The largest epoch among its own registers that it received in this life.
        var foundEpoch = 0
        /// The beginning of its present connection on its boot clock.
        var linkedAt: BootTime?
        var connection: ConnectionID?
        /// Whether it has read the broker's copy of its register in this life.
        var hasLooked = false
        /// The time of its mark in the last write.
        var mark: GroupTime = 0
        /// The writes that are not on disk yet.
        var meant: [(write: Int, own: Register, record: LedgerRecord, boot: BootTime)] = []
        /// The register that was last on disk.
        var recorded: Register?
        /// The last time at which the liar's clock could set its group time.
        var exposedAt: VirtualTime?
        /// Whether the liar's clock could set its group time at the last check.
        var isExposed = false
        /// Group time minus the boot clock when it was last within the honest clocks.
        var honestLead: Lead?
        /// The effects that the liar has caused in the present second.
        var lately: (second: Int, counts: [World.Caused: Int]) = (0, [:])
        /// The time since which no connection, disk or stop has delayed its answers.
        var undisturbedSince = VirtualTime.start
        /// The answers that have not reached the broker, with the time of the decision.
        var owed: [IntentID: VirtualTime] = [:]
        /// The intents that took effect here in this life.
        var decided: [IntentID: Decision] = [:]
        /// The latest expiry of each intent that has arrived here in this life.
        var expiries: [IntentID: Expiry] = [:]
        /// The intents among ``decided`` that it has forwarded.
        var forwarded: Set<IntentID> = []
        /// The answers that this life of the node has dropped.
        var droppedAnswers = 0
        /// Its latest group time: a mark that was raised then is written later.
        var latest = GroupTime.distantPast
        /// Whether its disk once lost written data.
        var isForgetful = false
        /// The lineages of the liar's sessions that this node has shown.
        var lineagesOfLiar: Set<SessionID> = []

        mutating func reboot(as name: String) {
            boots += 1
            bootID = BootID("boot-\(name)\(boots)")
        }
    }

    /// When an intent expires, by group time, and by the boot clock as it was when the intent arrived.
    struct Expiry {
        var time: GroupTime
        var boot: BootTime
    }

    /// An intent as it was asked for.
    struct Asked {
        var session: SessionID
        var phase: Int?
        var operation: IntentOperation
        var expiresAt: GroupTime
    }

    /// The effect of an intent in the present life of its owner.
    struct Decision {
        var session: SessionID
        var version: Version
        var asker: NodeID
        /// The number of the write that contains it.
        var write: Int
        /// When that write was on disk, on the owner's boot clock.
        var writtenAt: BootTime?
    }

    /// A register in which an intent took effect.
    struct Effect: Equatable {
        var node: NodeID
        var version: Version
        var session: SessionID
    }

    /// The lineage of a session, and the session that it continues.
    struct Origin {
        var lineage: SessionID
        var parent: SessionID?
        /// The parent's version at the takeover.
        var version: Version
    }

    var nodes: [Node]
    var asked: [IntentID: Asked] = [:]
    var sent: Set<IntentID> = []
    /// The intents that were once sent to the liar. Its late answers to them count.
    var askedOfLiar: Set<IntentID> = []
    var askedByLiar: Set<IntentID> = []
    var effects: [IntentID: [Effect]] = [:]
    /// Intents that have left a full list of effects, with the node and its life.
    var trimmed: [IntentID: (node: Int, life: Int)] = [:]
    var origins: [SessionID: Origin] = [:]
    var finals: [SessionID: Status] = [:]
    /// Sessions that were started without a connection and are not yet shown elsewhere.
    var offline: Set<SessionID> = []
    /// The true start of each session.
    var starts: [SessionID: GroupTime] = [:]
    /// The owner's boot at the start of a session, where no kernel vouched for the owner's clock.
    var guessedIn: [SessionID: BootID] = [:]
    /// The errors of all clocks that were vouched for.
    var errors: Set<Milliseconds> = []
    /// Sessions of owners whose time the liar's clock could set.
    var exposed: Set<SessionID> = []
    /// Sessions that a node had left before it recovered them from the broker.
    var returned: Set<SessionID> = []
    /// Sessions with a published register.
    var published: Set<SessionID> = []
    /// The records that the ledger must hold.
    var records: [SessionID: Record] = [:]

    init(nodes count: Int) {
        nodes = Array(repeating: Node(), count: count)
        for index in nodes.indices { nodes[index].reboot(as: Names.node(index)) }
    }

    /// Begins a new life of a program, which need not keep what the last one showed and refused.
    mutating func relaunch(_ node: Int, _ journal: Journal?) {
        nodes[node].own = journal?.own
        nodes[node].mark = journal?.mark.time ?? 0
        nodes[node].dated = nil
        nodes[node].shown = [:]
        nodes[node].moment = nil
        nodes[node].refused = []
        nodes[node].foundEpoch = 0
        nodes[node].linkedAt = nil
        nodes[node].connection = nil
        nodes[node].hasLooked = false
        nodes[node].meant = []
        nodes[node].owed = [:]
        nodes[node].decided = [:]
        nodes[node].expiries = [:]
        nodes[node].forwarded = []
    }

    /// Forgets what the disk has lost: the node cannot be judged by it.
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
