// SPDX-License-Identifier: Apache-2.0

import Commands
import Control
import NodeRuntime
import Platform
import Session
import Setup
import Web
import Wire

/// Gives the control socket and the HTTP API access to the node of this process.
struct LocalNode: NodeAccess {
    let node: Node
    let presets: Presets
    /// Whether the node was given no broker.
    let worksAlone: Bool

    func start(_ start: Start) async -> ReplyReport {
        let reply = await node.start(start)
        await node.waitForRegisters()
        return await node.report(reply)
    }

    func press(_ press: Press) async -> ReplyReport { await node.report(await node.press(press)) }
    func take() async -> ReplyReport { await node.report(await node.take()) }
    func report(_ level: SoundLevel) async -> Bool { await node.publish(level) }
    func status() async -> StatusReport { await node.status() }
    func nodes() async -> NodesReport { await node.nodesReport() }
    func metrics() async -> NodeMetrics { await node.metrics() }
    func snapshot() async -> DisplaySnapshot { await node.snapshot(worksAlone: worksAlone, presets: offered) }

    func snapshots() async -> AsyncStream<DisplaySnapshot> {
        await node.changes { [worksAlone, offered] in $0.snapshot(worksAlone: worksAlone, presets: offered) }
    }

    private var offered: [Preset] { presets.all.map { Preset(name: $0.name, plan: $0.plan) } }

    func preset(_ name: String) async -> PresetLookup {
        presets[name].map(PresetLookup.found) ?? .unknown(names: presets.names)
    }
}

extension Node {
    fileprivate func snapshot(worksAlone: Bool, presets: [Preset]) -> DisplaySnapshot {
        let now = clocks()
        let groupTime = groupTime(at: now)
        let shown = NodeView(
            view, feeds: feeds, isClockWrong: isClockWrong(at: now), isUnsaved: isUnsaved, worksAlone: worksAlone,
            isReadOnly: !identity.mayAsk, mayOwn: identity.mayOwn, node: identity.node,
            clockAhead: (now.told - groupTime).count, warnings: problems.filter { !$0.kind.isMinor }.map(\.text),
            at: groupTime)
        return DisplaySnapshot(
            shown, boot: now.boot, groupTime: groupTime, feeds: feeds, recent: recentSessions,
            presets: presets, utcOffset: SystemClock.utcOffset)
    }
}
