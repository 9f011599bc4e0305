// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

extension Node {
    /// The session as it stands now.
    public func status() -> StatusReport {
        let now = clocks()
        let time = groupTime(at: now)
        return StatusReport(
            view: view, space: space, node: identity.node, at: now, groupTime: time,
            clock: clockQuality(at: now, groupTime: time), feeds: feeds, problems: problems)
    }

    func clockQuality(at now: Instant, groupTime: Int64) -> ClockQuality {
        ClockQuality(
            synced: now.wallBound != nil, bound: now.wallBound,
            isWrong: abs(now.wall - groupTime) > Limits.stampLead)
    }

    /// What the node has counted since it began, and how it stands.
    public func metrics() -> NodeMetrics {
        let now = clocks()
        let moment = view.moment(at: now.boot)
        var metrics = counted
        metrics.isLinked = view.isLinked
        metrics.isSaved = !isUnsaved
        for (reason, count) in strangers { metrics.dropped["\(reason)", default: 0] += count }
        for (node, peer) in peers.all where node != identity.node {
            for (reason, count) in peer.discarded { metrics.dropped["\(reason)", default: 0] += count }
            if peer.isOnline { metrics.peers += 1 }
        }
        metrics.recordsWaiting = outbox?.waiting ?? 0
        metrics.clockBound = now.wallBound
        metrics.errorBound = moment?.error
        metrics.clockAhead = now.wall - groupTime(at: now)
        metrics.isLive = moment?.register.status.isLive == true
        return metrics
    }

    /// Whether the clock of this machine is more than ten seconds from group time.
    public func isClockWrong(at now: Instant) -> Bool { abs(now.wall - groupTime(at: now)) > Limits.stampLead }

    /// The nodes that were heard of, and what of them was not used.
    public func nodesReport() -> NodesReport {
        let now = clocks()
        let time = groupTime(at: now)
        let others = peers.all.filter { node, peer in
            // A passing remote says nothing of itself, so it is no node.
            let isNode = peer.presence != nil || register(of: node) != nil || !peer.discarded.isEmpty
            return isNode && !(identity.isAnnounced && node == identity.node)
        }
        var rows = others.map { node, peer in
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
        let isClockWrong =
            presence?.clock.isWrong == true || isContradicted(by: node)
            || register.map { !$0.stamp.isAdmissible(at: time) } == true
        return PeerRow(
            node: node, presence: presence, isOnline: isOnline, isClockWrong: isClockWrong, lastHeard: lastHeard,
            session: register?.id, dropped: peers[node].discarded,
            recordsWaiting: isSelf ? outbox?.waiting : nil, isSelf: isSelf)
    }
}

extension Stamp {
    /// Whether a start of this stamp counts at a group time.
    fileprivate func isAdmissible(at time: Int64) -> Bool {
        self.time >= Limits.earliestStamp && self.time - time <= Limits.stampLead
    }
}
