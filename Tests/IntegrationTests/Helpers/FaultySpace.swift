// SPDX-License-Identifier: Apache-2.0

import Support

/// Two nodes, each behind a proxy of its own, and a peer that watches from the broker's side.
struct FaultySpace {
    let broker: Broker
    let desk: NodeProcess
    let kitchen: NodeProcess
    /// What lies between desk and the broker.
    let deskLine: Proxy
    let kitchenLine: Proxy
    let peer: Peer

    /// Runs `body` in a space whose nodes are connected, where desk owns a session that both show.
    static func with(
        options: Broker.Options = Broker.Options(), deskDirectory: TemporaryDirectory? = nil,
        deskClock: MovedClock = .ofThisMachine,
        _ body: (FaultySpace, _ session: String) async throws -> Void
    ) async throws {
        try await Broker.withBroker(options) { broker in
            try await Proxy.with(to: broker.port) { deskLine in
                try await Proxy.with(to: broker.port) { kitchenLine in
                    let desk = try NodeProcess(
                        "desk", broker: "mqtt://127.0.0.1:\(deskLine.port)", directory: deskDirectory,
                        clock: deskClock)
                    let kitchen = try NodeProcess("kitchen", broker: "mqtt://127.0.0.1:\(kitchenLine.port)")
                    try await desk.start()
                    try await kitchen.start()
                    for id in ["desk", "kitchen"] { try await Space.isListening(id, at: broker) }
                    try await Peer.with(port: broker.port) { peer in
                        let space = FaultySpace(
                            broker: broker, desk: desk, kitchen: kitchen, deskLine: deskLine, kitchenLine: kitchenLine,
                            peer: peer)
                        let id = try desk.begin(["seconds": 1_500])
                        try await space.agrees("the session") { $0.session.text == id }
                        do {
                            try await body(space, id)
                        } catch let error as StoodStill {
                            throw error
                        } catch {
                            throw Failed("\(error)\n--- desk\n\(desk.log)\n--- kitchen\n\(kitchen.log)")
                        }
                    }
                    try await desk.kill()
                    try await kitchen.kill()
                }
            }
        }
    }

    /// Waits until both nodes are connected, show the same, and that is as wanted.
    @discardableResult
    func agrees(
        _ what: String, file: String = #fileID, line: Int = #line, _ isRight: (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        let same = ["session", "owner", "epoch", "revision", "status", "totalSeconds", "phase", "stale", "stamp"]
        var (here, there) = (JSON.null, JSON.null)
        do {
            try await eventually("both show \(what)", file: file, line: line) {
                (here, there) = (desk.status, kitchen.status)
                let left = abs((here.remainingSeconds.int ?? 0) - (there.remainingSeconds.int ?? -9))
                return here.linked == true && there.linked == true && same.allSatisfy { here[$0] == there[$0] }
                    && here.session != .null && left <= 1 && isRight(here)
            }
        } catch let error as TimedOut {
            throw Failed("\(error); desk shows \(here), kitchen \(there)")
        }
        return here
    }

    /// Waits until both nodes are connected and show the same, in time for what a node did without contact to be asked of
    /// the other: an intent lives for thirty seconds.
    /// - Parameter pressed: When the first of that was done, or before.
    func isTogether(inTimeAfter pressed: ContinuousClock.Instant) async throws {
        try await agrees("one session")
        if .now - pressed > .seconds(20) { throw StoodStill("contact came when presses had hardly any life left") }
    }

    /// Asks a node to make the session longer, which its owner does, and nobody in its place.
    func extendByOwner(_ node: NodeProcess) async throws -> JSON {
        let owner = node.status.owner
        let answer = try await extendByAnybody(node)
        guard node.status.owner == owner else { throw StoodStill("\(node.id) took over from \(owner)") }
        return answer
    }

    /// Asks a node to make the session longer, which its owner does, or the node in its place.
    func extendByAnybody(_ node: NodeProcess) async throws -> JSON {
        let answer = await extend(node)
        if answer.outcome == "noAnswer" { throw StoodStill("\(node.id) has heard nothing for five seconds") }
        return answer
    }

    /// Asks a node to make the session longer.
    func extend(_ node: NodeProcess, by seconds: Int64 = 60) async -> JSON {
        let press: JSON = ["op": "extend", "seconds": .number(seconds)]
        return await node.socket.requestAside("POST", "/v1/intents", body: press.bytes)?.body ?? .null
    }
}
