// SPDX-License-Identifier: Apache-2.0

package import API
import Platform
import Session
package import Settings
package import Wire

/// The access of the control socket and the HTTP API to the node of this process.
package struct LocalNode: NodeAccess {
    private let node: Node
    private let presets: Presets
    private let worksAlone: Bool

    /// - Parameter worksAlone: Whether the node was given no broker.
    package init(node: Node, presets: Presets, worksAlone: Bool) {
        self.node = node
        self.presets = presets
        self.worksAlone = worksAlone
    }

    package func ask(_ request: NodeRequest) async -> ReplyReport {
        let reply = await node.ask(request)
        if case .start = request { await node.waitForRegisters() }
        var report = await node.makeReport(of: reply)
        // A text for all screens belongs to no session.
        if case .say = request { (report.session, report.rev) = (nil, nil) }
        return report
    }

    package func add(_ session: AddedSession) async throws -> ReplyReport { try await node.add(session) }
    package func publish(_ level: SoundLevel) async -> Bool { await node.publish(level) }
    package func status() async -> StatusReport { await node.status() }
    package func nodes() async -> NodesReport { await node.nodesReport() }
    package func metrics() async -> NodeMetrics { await node.metrics() }
    package func note(_ problem: ProblemReport?, ofPageAt address: String) async {
        await node.note(problem, ofPageAt: address)
    }
    package func snapshot() async -> DisplaySnapshot {
        await node.snapshot(worksAlone: worksAlone, presets: presets.all)
    }

    package func snapshots() async -> AsyncStream<DisplaySnapshot> {
        await node.changes { [worksAlone, offered = presets.all] in
            $0.snapshot(worksAlone: worksAlone, presets: offered)
        }
    }
}

extension Node {
    fileprivate func snapshot(worksAlone: Bool, presets: [Preset]) -> DisplaySnapshot {
        let now = clocks()
        let groupTime = groupTime(at: now)
        let shown = NodeView(
            view, feeds: feeds, isClockWrong: isClockWrong(at: now), isUnsaved: isUnsaved, worksAlone: worksAlone,
            isReadOnly: !identity.mayPress, mayOwn: identity.mayOwn, node: identity.node,
            clockAhead: now.told - groupTime, warnings: problems.filter { !$0.kind.isMinor }.map(\.text),
            at: groupTime)
        return DisplaySnapshot(
            shown, boot: now.boot, groupTime: groupTime, feeds: feeds, recent: recentSessions,
            presets: presets, utcOffset: SystemClock.utcOffset)
    }
}
