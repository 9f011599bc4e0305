// SPDX-License-Identifier: Apache-2.0

/// The state of a node, as far as it is known.
public struct Peer: Hashable, Sendable {
    /// The node's latest presence or will; `nil` if none has arrived, or it was deleted.
    public fileprivate(set) var presence: Presence?
    /// When it last sent a message. Retained messages and wills do not count.
    public fileprivate(set) var lastReceived: BootTime?
    /// The time at which it went offline or to sleep; `nil` while it is online.
    public fileprivate(set) var offlineSince: BootTime?
    /// The numbers of discarded messages of the node, by reason.
    public fileprivate(set) var discarded: [Discard: Int] = [:]

    /// Whether its presence says that it is online, and not asleep.
    public var isOnline: Bool { presence?.isOnline == true && presence?.isSleeping != true }

    /// Whether its clock counts; see ``Peers/hasVote(_:)``.
    fileprivate var hasVote: Bool { presence.map { $0.role != .display } ?? (offlineSince == nil) }
    /// Whether it is online and its kernel vouches for its clock.
    fileprivate var isVouching: Bool { isOnline && presence?.clock.isSynced == true && hasVote }
}

/// The known nodes: at most ``Limits/nodes``.
public struct Peers: Hashable, Sendable {
    private var known: [NodeID: Peer] = [:]
    private var order: [NodeID] = []
    /// The online nodes, ordered by id.
    package private(set) var online: [NodeID] = []
    /// The online nodes whose kernels vouch for their clocks, ordered by id. Displays are not among them.
    private(set) var vouching: [NodeID] = []
    /// The nodes whose presence has arrived on the present connection, and was not deleted since.
    private(set) var withPresence: Set<NodeID> = []
    /// Discarded messages that no known node has sent, by reason.
    public private(set) var unattributedDiscards: [Discard: Int] = [:]

    public var all: some BidirectionalCollection<(node: NodeID, peer: Peer)> {
        order.lazy.compactMap { node in known[node].map { (node, $0) } }
    }

    public var isEmpty: Bool { order.isEmpty }

    /// The state of `node`; that of a new peer if it is unknown.
    public subscript(node: NodeID) -> Peer { known[node] ?? Peer() }

    private mutating func change(_ node: NodeID, _ body: (inout Peer) -> Void) {
        func state(of peer: inout Peer) -> (isOnline: Bool, isVouching: Bool) {
            body(&peer)
            return (peer.isOnline, peer.isVouching)
        }
        enter(node)
        let state = state(of: &known[node, default: Peer()])
        Self.list(node, in: &online, if: state.isOnline)
        Self.list(node, in: &vouching, if: state.isVouching)
    }

    private static func list(_ node: NodeID, in nodes: inout [NodeID], if isListed: Bool) {
        let place = nodes.firstIndex { $0 >= node } ?? nodes.endIndex
        switch (place < nodes.endIndex && nodes[place] == node, isListed) {
        case (false, true): nodes.insert(node, at: place)
        case (true, false): nodes.remove(at: place)
        default: break
        }
    }

    /// Whether a message has changed what is known of a peer.
    enum News {
        case known
        case changed(from: Peer)
    }

    mutating func receive(_ presence: Presence, from sender: NodeID, retained: Bool, at boot: BootTime)
        -> News
    {
        withPresence.insert(sender)
        let known = self[sender]
        // The will of a connection that was replaced is older than the presence. A retained will is the present state.
        if let latest = known.presence {
            if latest == presence { return .known }
            let isOldWill =
                !presence.isOnline && !retained && latest.isOnline && latest.connection != presence.connection
            if isOldWill { return .known }  // rule: oldWills
        }
        change(sender) {
            $0.presence = presence
            $0.offlineSince = $0.isOnline ? nil : known.offlineSince ?? boot
        }
        return .changed(from: known)
    }

    mutating func noteConnected() { withPresence = [] }

    mutating func erasePresence(of node: NodeID, at boot: BootTime) {
        withPresence.remove(node)
        guard known[node]?.presence != nil else { return }
        change(node) {
            $0.offlineSince = $0.offlineSince ?? boot
            $0.presence = nil
        }
    }

    /// Counts a discarded message, and returns whether it is the first of its sender for this reason.
    mutating func discard(_ reason: Discard, from sender: NodeID?) -> Bool {
        guard let sender, hasRoom(for: sender) else {
            unattributedDiscards[reason, default: 0] += 1
            return unattributedDiscards[reason] == 1
        }
        change(sender) { $0.discarded[reason, default: 0] += 1 }
        return self[sender].discarded[reason] == 1
    }

    /// Whether a node's clock counts. That of a display does not. That of a node without a presence does, unless its
    /// presence was deleted.
    func hasVote(_ node: NodeID) -> Bool { known[node]?.hasVote ?? true }

    /// Enters a sender, and returns whether there is room. `boot` is when it sent a message itself, if it did.
    mutating func enterIfRoom(_ node: NodeID, receivedAt boot: BootTime?) -> Bool {
        if let index = known.index(forKey: node) {
            if let boot { known.values[index].lastReceived = boot }
            return true
        }
        guard known.count < Limits.nodes else { return false }
        enter(node)
        known[node] = Peer(lastReceived: boot)
        return true
    }

    /// Forgets the node without a presence that was silent longest, since before `boot`, and returns it. Passing
    /// remotes have no presence, and each command is a remote with an id of its own.
    mutating func forgetSilent(since boot: BootTime, unless isNeeded: (NodeID) -> Bool) -> NodeID? {
        let silent = order.filter { node in
            known[node].map { $0.presence == nil && $0.lastReceived ?? .distantPast < boot } == true && !isNeeded(node)
        }
        let node = silent.min { known[$0]?.lastReceived ?? .distantPast < known[$1]?.lastReceived ?? .distantPast }
        if let node { remove(node) }
        return node
    }

    /// Forgets the node whose session is the oldest of those that are gone, to make room, and returns it.
    /// - Parameters:
    ///   - limit: Only a node whose stamp is below is forgotten; `nil` for any.
    ///   - stamp: The stamp of a node's session, if it has one that counts.
    mutating func forgetAbsent(
        since boot: BootTime, below limit: Stamp?, stamp: (NodeID) -> Stamp?, unless isNeeded: (NodeID) -> Bool
    ) -> NodeID? {
        let gone = order.filter { node in
            known[node].map { !$0.isOnline && $0.lastReceived ?? .distantPast < boot } == true && !isNeeded(node)
        }
        let stamped = gone.compactMap { node in stamp(node).map { (node, $0) } }
        let node =
            gone.first { stamp($0) == nil }
            ?? stamped.min { $0.1 < $1.1 }.flatMap { limit.map { [stamp = $0.1] in stamp < $0 } ?? true ? $0.0 : nil }
        if let node { remove(node) }
        return node
    }

    private mutating func remove(_ node: NodeID) {
        known[node] = nil
        order.removeAll { $0 == node }
        withPresence.remove(node)
    }

    private mutating func enter(_ node: NodeID) {
        guard known[node] == nil else { return }
        order.insert(node, at: order.firstIndex { $0 > node } ?? order.endIndex)
    }

    func hasRoom(for node: NodeID) -> Bool { known[node] != nil || known.count < Limits.nodes }
}
