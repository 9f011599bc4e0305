// SPDX-License-Identifier: Apache-2.0

package import API
import Core
import Mosquitto
import Runtime
package import Session

extension Node {
    package func status() -> StatusReport {
        let now = clocks()
        let time = groupTime(at: now)
        return StatusReport(
            view: view, space: space, node: identity.node, at: now, groupTime: time,
            linkProblem: link.problems.current, linkFault: link.failure.map(LinkFault.init),
            clock: core.engine.clockQuality(at: now),
            timeFrom: core.engine.timeOrigin, feeds: feeds, problems: problems + (alerts?.problems ?? []))
    }

    /// Includes the problems of notifications and sounds in later reports.
    func include(_ alerts: AlertCheck) { self.alerts = alerts }

    /// Returns the counters since the node started, and its current state.
    package func metrics() -> NodeMetrics {
        let now = clocks()
        let moment = view.moment(at: now.boot)
        var metrics = counted
        metrics.isLinked = view.isLinked
        metrics.isSaved = !isUnsaved
        for (reason, count) in core.engine.peers.unattributedDiscards {
            metrics.dropped["\(reason)", default: 0] += count
        }
        for (node, peer) in peers.all where node != identity.node {
            for (reason, count) in peer.discarded { metrics.dropped["\(reason)", default: 0] += count }
        }
        metrics.peers = otherOnlineCount
        metrics.recordsWaiting = core.recordsWaiting
        metrics.clockBound = now.wallBound
        metrics.errorBound = moment?.error
        metrics.clockAhead = now.told - groupTime(at: now)
        metrics.isLive = moment?.register.status.isLive == true
        return metrics
    }

    /// Returns whether the clock of this machine is more than ten seconds from group time.
    package func isClockWrong(at now: Instant) -> Bool { core.engine.clockQuality(at: now).isWrong }

    package func nodesReport() -> NodesReport {
        let now = clocks()
        let time = groupTime(at: now)
        let others = peers.all.filter { node, peer in
            // A passing remote announces nothing, so it is no node.
            // Nor is one whose presence was deleted, unless its session goes on.
            let isLive = core.engine.register(of: node)?.status.isLive == true
            let isNode = peer.presence != nil || isLive || !peer.discarded.isEmpty
            return isNode && !(identity.publishesPresence && node == identity.node)
        }
        var rows = others.map { node, peer in
            row(
                of: node, presence: peer.presence, isOnline: peer.isOnline, isHeard: link.connection != nil,
                lastHeard: peer.lastReceived.map { time - (now.boot - $0) }, at: now)
        }
        if identity.publishesPresence {
            let own = link.connection.map { core.engine.presence(at: now, connection: $0, online: true) }
            var report = row(of: identity.node, presence: own, isOnline: own != nil, at: now, isSelf: true)
            if own == nil {
                (report.name, report.role) = (identity.name, identity.role.rawValue)
                (report.software, report.state) = (identity.software, .offline)
            }
            rows.append(report)
        }
        return NodesReport(rows, strangers: core.engine.peers.unattributedDiscards)
    }

    private func row(
        of node: NodeID, presence: Presence?, isOnline: Bool, isHeard: Bool = true, lastHeard: GroupTime? = nil,
        at now: Instant, isSelf: Bool = false
    ) -> NodeReport {
        let register = core.engine.register(of: node)
        let isClockWrong =
            presence?.clock.isWrong == true || core.engine.isContradicted(by: node, at: now)
            || register.map { core.engine.admits($0.stamp, at: now) } == false
        return NodeReport(
            node.rawValue, presence: presence, isOnline: isOnline, isClockWrong: isClockWrong, isHeard: isHeard,
            lastHeard: lastHeard,
            session: register?.id, dropped: peers[node].discarded,
            recordsWaiting: isSelf ? core.recordsWaiting : nil, isSelf: isSelf,
            serves: feeds.published(by: node))
    }
}

extension LinkFault {
    fileprivate init(_ error: MQTTError) {
        switch error.code {
        case .badCredentials: self = .login
        case .tls: self = .tls
        default: self = .other
        }
    }
}
