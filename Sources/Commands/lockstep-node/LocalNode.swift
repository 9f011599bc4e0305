// SPDX-License-Identifier: Apache-2.0

import Commands
import Session
import Shell
import Web
import Wire

/// The node of this process, as the HTTP API sees it.
struct LocalNode: NodeAccess {
    let node: Node
    let presets: Presets
    /// Whether the node was given no broker.
    let worksAlone: Bool

    func start(_ start: Start) async -> ReplyReport {
        let reply = await node.start(start)
        await node.registersAreOut()
        return await node.report(reply)
    }

    func press(_ press: Press) async -> ReplyReport { await node.report(await node.press(press)) }
    func take() async -> ReplyReport { await node.report(await node.take()) }
    func hear(_ level: SoundLevel) async -> Bool { await node.say(level) }
    func status() async -> StatusReport { await node.status() }
    func nodes() async -> NodesReport { await node.nodesReport() }
    func views() async -> AsyncStream<View> { await node.views() }
    func metrics() async -> NodeMetrics { await node.metrics() }
    func shown() async -> Shown { await node.shown(worksAlone: worksAlone) }

    func preset(_ name: String) async -> PresetLookup {
        presets[name].map(PresetLookup.found) ?? .unknown(names: presets.names)
    }
}

extension Node {
    fileprivate func shown(worksAlone: Bool) -> Shown {
        let now = clocks()
        return Shown(
            view: view, boot: now.boot, groupTime: groupTime(at: now), node: identity.node, feeds: feeds,
            isClockWrong: isClockWrong(at: now), isUnsaved: isUnsaved, worksAlone: worksAlone,
            utcOffset: LocalTime.utcOffset)
    }
}
