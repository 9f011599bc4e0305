// SPDX-License-Identifier: Apache-2.0

import Support

/// Two nodes, each behind its own proxy, and a peer that is connected to the broker directly.
struct FaultySpace {
    let broker: Broker
    let desk: NodeProcess
    let kitchen: NodeProcess
    /// The proxy between desk and the broker.
    let deskLine: Proxy
    let kitchenLine: Proxy
    let peer: Peer

    /// Runs `body` with both nodes connected and showing a session that desk owns.
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
                    for id in ["desk", "kitchen"] { try await Space.waitForBarrier(of: id, at: broker) }
                    try await Peer.with(port: broker.port) { peer in
                        let space = FaultySpace(
                            broker: broker, desk: desk, kitchen: kitchen, deskLine: deskLine, kitchenLine: kitchenLine,
                            peer: peer)
                        let id = try desk.begin(["seconds": 1_500])
                        try await space.waitForAgreement("the session") { $0.session.text == id }
                        do {
                            try await body(space, id)
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

    /// Waits until both nodes are connected and show the same state, which satisfies `isRight`.
    @discardableResult
    func waitForAgreement(
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

    /// Waits until both nodes agree, and fails if intents from before may have expired.
    ///
    /// An intent lives for thirty seconds.
    /// - Parameter pressed: The time of the first press, or an earlier one.
    func waitForAgreement(inTimeAfter pressed: ContinuousClock.Instant) async throws {
        try await waitForAgreement("one session")
        if .now - pressed > .seconds(20) { throw Failed("the nodes agreed too late for the presses") }
    }

    /// Extends the session from a node, and fails unless the same owner applies it.
    func extendAtOwner(_ node: NodeProcess) async throws -> JSON {
        let owner = node.status.owner
        let answer = try await extendAtAnyOwner(node)
        guard node.status.owner == owner else { throw Failed("\(node.id) took over from \(owner)") }
        return answer
    }

    /// Extends the session from a node; the node may take over from the owner.
    func extendAtAnyOwner(_ node: NodeProcess) async throws -> JSON {
        let answer = await extend(node)
        if answer.outcome == "noAnswer" { throw Failed("\(node.id) got no answer for five seconds") }
        return answer
    }

    /// Extends the session from a node.
    func extend(_ node: NodeProcess, by seconds: Int64 = 60) async -> JSON {
        let press: JSON = ["op": "extend", "seconds": .number(seconds)]
        return await node.socket.requestAside("POST", "/v1/intents", body: press.bytes)?.body ?? .null
    }
}
