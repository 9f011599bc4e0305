// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support

/// A broker, a few nodes and a scripted peer in one space.
struct Space {
    let broker: Broker
    let nodes: [String: NodeProcess]
    let peer: Peer

    subscript(id: String) -> NodeProcess {
        guard let node = nodes[id] else { preconditionFailure("there is no node \(id)") }
        return node
    }

    /// Runs `body` in a space whose nodes are connected. Its error includes the logs of the nodes.
    static func with(
        _ ids: String..., options: Broker.Options = Broker.Options(), environment: [String: String] = [:],
        _ body: (Space) async throws -> Void
    ) async throws {
        try await Broker.withBroker(options) { broker in
            var nodes: [String: NodeProcess] = [:]
            let address = "mqtt://127.0.0.1:\(broker.port)"
            for id in ids { nodes[id] = try NodeProcess(id, broker: address, environment: environment) }
            do {
                for node in nodes.values { try await node.start() }
                try await Peer.with(port: broker.port) { peer in
                    for id in ids {
                        try await peer.waitFor("presence", of: id, "online") { $0.online == true }
                        try await waitForBarrier(of: id, at: broker)
                    }
                    try await body(Space(broker: broker, nodes: nodes, peer: peer))
                }
            } catch {
                let logs = nodes.values.map { "--- \($0.id)\n\($0.log)" }.joined(separator: "\n")
                throw Failed("\(error)\n\(logs)")
            }
            for node in nodes.values { try await node.kill() }
        }
    }

    /// Waits until a node has got its barrier, so that it gets all messages and decides intents.
    static func waitForBarrier(of id: String, at broker: Broker) async throws {
        try await eventually("\(id) has its barrier") { broker.hasReturnedBarrier(of: id) }
    }
}

/// The time, in milliseconds since 1970.
func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}

extension JSON {
    /// A register of the peer.
    /// - Parameter ahead: Milliseconds from now to its stamp.
    static func register(
        _ id: String, of node: String = "peer", ahead: Int64 = 0, rev: Int64 = 1,
        status: String = "running", seconds: Int64 = 1_500
    ) -> JSON {
        let at = now() + ahead
        var register: JSON = [
            "v": 1, "mode": "countdown", "autoAdvance": false, "phase": 0, "title": "Elsewhere", "applied": [],
        ]
        register.id = .string(id)
        register.lineage = .string(id)
        register.stamp = [.number(at), 0, .string(node)]
        register.epoch = 0
        register.rev = .number(rev)
        register.owner = .string(node)
        register.plan = [["kind": "focus", "seconds": .number(seconds)]]
        register.status = .string(status)
        register.startedAt = .number(at)
        register.anchor = ["elapsed": 0, "at": .number(at), "bootId": "peer-boot", "boot": 1_000]
        register.runs = status == "running" ? [[0, .number(at), .null]] : [[0, .number(at), .number(at + 10)]]
        return register
    }

    static func presence(of node: String = "peer", online: Bool, connection: String) -> JSON {
        var presence: JSON = ["v": 1, "role": "node", "clock": ["synced": true, "bound": 5], "software": "script 1"]
        presence.online = .bool(online)
        presence.conn = .string(connection)
        presence.name = .string(node)
        presence.at = .number(now())
        return presence
    }
}
