// SPDX-License-Identifier: Apache-2.0

import Session
public import Wire

extension Node {
    /// The session as it stands now.
    public func status() -> StatusReport {
        let now = Clocks.now()
        return StatusReport(view: view, space: space, node: identity.node, at: now, groupTime: now.wall)
    }

    /// The nodes that were heard of, and what of them was not used.
    public func nodesReport() -> NodesReport {
        let now = Clocks.now()
        let others = peers.all.filter { !(identity.isAnnounced && $0.node == identity.node) }.map { node, peer in
            PeerRow(
                node: node, presence: peer.presence, isOnline: peer.isOnline,
                lastHeard: peer.lastHeard.map { now.wall - (now.boot - $0) }, session: session(of: node),
                dropped: peer.discarded)
        }
        return NodesReport(identity.isAnnounced ? others + [ownRow] : others, strangers: strangers)
    }

    private var ownRow: PeerRow {
        PeerRow(
            node: identity.node, presence: connection.map { presence(connection: $0) }, isOnline: connection != nil,
            session: session(of: identity.node), dropped: peers[identity.node].discarded, isSelf: true)
    }
}
