// SPDX-License-Identifier: Apache-2.0

import Session
public import Wire

extension Node {
    /// The session as it stands now.
    public func status() -> StatusReport {
        let now = clocks()
        let time = groupTime(at: now)
        return StatusReport(
            view: view, space: space, node: identity.node, at: now, groupTime: time,
            clock: clockQuality(at: now, groupTime: time))
    }

    func clockQuality(at now: Instant, groupTime: Int64) -> ClockQuality {
        ClockQuality(
            synced: now.wallBound != nil, bound: now.wallBound,
            isWrong: abs(now.wall - groupTime) > Limits.stampLead)
    }

    /// The nodes that were heard of, and what of them was not used.
    public func nodesReport() -> NodesReport {
        let now = clocks()
        let time = groupTime(at: now)
        var rows = peers.all.filter { !(identity.isAnnounced && $0.node == identity.node) }.map { node, peer in
            row(
                of: node, presence: peer.presence, isOnline: peer.isOnline,
                lastHeard: peer.lastHeard.map { time - (now.boot - $0) }, at: time)
        }
        if identity.isAnnounced {
            let own = connection.map { presence(connection: $0) }
            rows.append(row(of: identity.node, presence: own, isOnline: own != nil, at: time, isSelf: true))
        }
        return NodesReport(rows, strangers: strangers)
    }

    private func row(
        of node: NodeID, presence: Presence?, isOnline: Bool, lastHeard: Int64? = nil, at time: Int64,
        isSelf: Bool = false
    ) -> PeerRow {
        let register = register(of: node)
        let isClockWrong = presence?.clock.isWrong == true || register.map { !$0.stamp.isAdmissible(at: time) } == true
        return PeerRow(
            node: node, presence: presence, isOnline: isOnline, isClockWrong: isClockWrong, lastHeard: lastHeard,
            session: register?.id, dropped: peers[node].discarded, isSelf: isSelf)
    }
}

extension Stamp {
    /// Whether a start of this stamp counts at a group time.
    fileprivate func isAdmissible(at time: Int64) -> Bool {
        self.time >= Limits.earliestStamp && self.time - time <= Limits.stampLead
    }
}
