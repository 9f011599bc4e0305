// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Which of several services serves, as a person sees it.
@Suite(.limitedConcurrency) struct ServingTests {
    @Test(.waitingForTimers) func nodesAndDoctorNameTheServicesThatServe() async throws {
        try await Space.with("desk") { space in
            let (port, desk) = (space.broker.port, space["desk"])
            let (debt, calm) = (try DebtProgram([], broker: port), try CalmProgram([], broker: port))
            let attic = try DebtProgram([], broker: port, id: "attic")
            let roof = try CalmProgram([], broker: port, id: "roof")
            func serving() -> [String: String] {
                desk.nodes.items.reduce(into: [:]) { serving, node in
                    if let name = node.node.text, let feed = node.serves.text { serving[name] = feed }
                }
            }
            try await debt.start()
            try await calm.start()
            try desk.begin()
            try await eventually("both serve: \(serving())") {
                try await space.peer.say(level: 30, ["period": 3000])
                return serving() == ["debt": "debt", "calm": "calm"]
            }
            try await attic.start()
            try await roof.start()
            try await eventually("they stand by: \(attic.log) \(roof.log)") {
                attic.log.contains("the service debt publishes the feed")
                    && roof.log.contains("the service calm publishes the feed")
            }
            try await eventually("all are known") {
                desk.nodes.items.count { $0.role == "service" && $0.online == true } == 4
            }
            #expect(serving() == ["debt": "debt", "calm": "calm"])
            let listed = try await desk.lockstep("nodes")
            #expect(listed.output.contains("online, serves debt"), "\(listed)")
            let doctor = try await desk.lockstep("doctor", "--state-dir", attic.directory.file("state"))
            #expect(doctor.output.contains("from the service debt"), "\(doctor)")
            try await debt.kill()
            try await calm.kill()
            try await eventually("the others serve", within: .seconds(120)) {
                try await space.peer.say(level: 30, ["period": 3000])
                return serving() == ["attic": "debt", "roof": "calm"]
            }
            try await attic.end()
            try await roof.end()
        }
    }

    /// The second one has no connection while the first one has one.
    @Test(.waitingForTimers) func aSecondCalmServiceOfOneIDPublishesNothing() async throws {
        try await Broker.withBroker { broker in
            try await Peer.with(port: broker.port) { peer in
                let first = try CalmProgram([], broker: broker.port)
                let second = try CalmProgram([], broker: broker.port)
                try await first.start()
                try await peer.publish("session", JSON.register("s-1"))
                try await eventually("it serves") {
                    try await peer.say(level: 30, ["period": 3000])
                    return peer.calm.last?.level == 30
                }
                try await second.start()
                try await eventually("the second one keeps off: \(second.log)") {
                    second.log.contains("another process connected first")
                }
                try await eventually("the first one serves") {
                    try await peer.say(level: 80, ["period": 3000])
                    return peer.calm.last?.level == 80
                }
                #expect(peer.calm.allSatisfy { ($0.coverage.int ?? 0) > 0 || $0.percent == .null }, "\(peer.calm)")
                try await first.kill()
                try await eventually("its turn comes: \(second.log)", within: .seconds(120)) {
                    try await peer.say(level: 40, ["period": 3000])
                    return peer.calm.last?.level == 40
                }
                try await second.end()
            }
        }
    }
}
