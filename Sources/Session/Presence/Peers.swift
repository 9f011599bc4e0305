// SPDX-License-Identifier: Apache-2.0

/// What is known of a node.
public struct Peer: Hashable, Sendable {
    /// What it last said of itself, or its will for it.
    public internal(set) var presence: Presence?
    /// When it last said something itself, on this node's boot clock; what the broker had kept does not count.
    public internal(set) var lastHeard: Int64?
    /// Since when it is known to be gone, on this node's boot clock.
    public internal(set) var offlineSince: Int64?
    /// Messages of it that were not used, by reason.
    public internal(set) var discarded: [Discard: Int] = [:]

    /// Whether it is known to be there.
    public var isOnline: Bool { presence?.online == true && presence?.isSleeping != true }
}

/// The nodes that were heard of.
public struct Peers: Hashable, Sendable {
    private var known: [NodeID: Peer] = [:]
    private var order: [NodeID] = []
    /// Those that are known to be there, ordered by id.
    package private(set) var online: [NodeID] = []

    /// All nodes, ordered by id.
    public var all: some BidirectionalCollection<(node: NodeID, peer: Peer)> {
        order.lazy.compactMap { node in known[node].map { (node, $0) } }
    }

    /// Whether nobody was heard.
    public var isEmpty: Bool { order.isEmpty }

    /// What is known of `node`; nothing, for one that was never heard.
    public internal(set) subscript(node: NodeID) -> Peer {
        get { known[node] ?? Peer() }
        _modify {
            enter(node)
            defer { noteOnline(node) }
            yield &known[node, default: Peer()]
        }
    }

    private mutating func noteOnline(_ node: NodeID) {
        let place = online.firstIndex { $0 >= node } ?? online.endIndex
        let isNoted = place < online.endIndex && online[place] == node
        switch (isNoted, known[node]?.isOnline ?? false) {
        case (false, true): online.insert(node, at: place)
        case (true, false): online.remove(at: place)
        default: break
        }
    }

    /// Whether there is room for `node`; where there is, it was heard at an instant, if one is given.
    mutating func admit(_ node: NodeID, heardAt boot: Int64?) -> Bool {
        if let index = known.index(forKey: node) {
            if let boot { known.values[index].lastHeard = boot }
            return true
        }
        guard known.count < Limits.nodes else { return false }
        if let boot {
            enter(node)
            known[node] = Peer(lastHeard: boot)
        }
        return true
    }

    /// Forgets a sender to make room: the one that was silent longest of those that never said what they are. Passing
    /// remotes are such, each command under an id of its own.
    /// - Parameters:
    ///   - boot: Only those that were heard before this instant are forgotten.
    ///   - isNeeded: Whether something else is known of a node.
    /// - Returns: Who was forgotten; `nil` where there is no such sender.
    mutating func forgetSilent(since boot: Int64, unless isNeeded: (NodeID) -> Bool) -> NodeID? {
        let silent = order.filter { node in
            known[node].map { $0.presence == nil && $0.lastHeard ?? .min < boot } == true && !isNeeded(node)
        }
        let node = silent.min { known[$0]?.lastHeard ?? .min < known[$1]?.lastHeard ?? .min }
        guard let node else { return nil }
        known[node] = nil
        order.removeAll { $0 == node }
        return node
    }

    private mutating func enter(_ node: NodeID) {
        guard known[node] == nil else { return }
        order.insert(node, at: order.firstIndex { $0 > node } ?? order.endIndex)
    }

    /// Whether there is room for `node`.
    func admits(_ node: NodeID) -> Bool { known[node] != nil || known.count < Limits.nodes }
}

extension Engine {
    mutating func receivePresence(_ presence: Presence, from sender: NodeID, retained: Bool, at now: Instant) {
        if isSelf(sender) {
            // Only a retained one says that the broker hands out what it keeps: another may have asked for this one.
            if retained { link.sawOwnPresence = true }
            if !presence.online || presence.connection != link.connection { repair(at: now) }
            return
        }
        if presence.online, !retained { compare(presence.at, of: sender, at: now) }
        let known = peers[sender]
        // A will of a connection that was already replaced says nothing of the present one. What the broker retained
        // is the present state, whatever we missed.
        if let said = known.presence {
            if said == presence { return }
            if !presence.online, !retained, said.online, said.connection != presence.connection,
                keeps(.zombieWills)
            {
                return
            }
        }
        let isHere = presence.online && !presence.isSleeping
        var heard = known
        heard.presence = presence
        heard.offlineSince = isHere ? nil : known.offlineSince ?? now.boot
        peers[sender] = heard
        if !isHere, known.isOnline {
            exchange.depart(sender)
            if time.source == .outvoted { chooseTime(at: now) }
        }
        if isHere != known.isOnline || presence.online != known.presence?.online { exchange.lookAnew() }
        if isHere, known.presence?.connection != presence.connection { exchange.startOver(with: sender) }
        if isHere, known.presence?.isSleeping == true { exchange.forget(sender) }
        guard registers.currentOwner == sender else { return }
        isViewDirty = true
        if !isHere, !requests.open.isEmpty { sendRequests(at: now) }
    }

    mutating func discard(_ reason: Discard, from sender: NodeID?) {
        guard let sender, peers.admits(sender) else {
            strangers[reason, default: 0] += 1
            if strangers[reason] == 1 { emit(.log(.discarded(reason, from: sender))) }
            return
        }
        peers[sender].discarded[reason, default: 0] += 1
        if peers[sender].discarded[reason] == 1 { emit(.log(.discarded(reason, from: sender))) }
    }
}
