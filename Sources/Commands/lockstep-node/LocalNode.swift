// SPDX-License-Identifier: Apache-2.0

import Session
import Shell
import Web
import Wire

/// The node of this process, as the HTTP API sees it.
struct LocalNode: NodeAccess {
    let node: Node
    let presets: Presets

    func start(_ start: Start) async -> Reply { await node.start(start) }
    func press(_ press: Press) async -> Reply { await node.press(press) }
    func take() async -> Reply { await node.take() }
    func status() async -> StatusReport { await node.status() }
    func nodes() async -> NodesReport { await node.nodesReport() }
    func views() async -> AsyncStream<View> { await node.views() }

    func preset(_ name: String) async -> PresetLookup {
        presets[name].map(PresetLookup.found) ?? .unknown(names: presets.names)
    }
}
