// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The one of several services that serves, as a person sees it.
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
}
