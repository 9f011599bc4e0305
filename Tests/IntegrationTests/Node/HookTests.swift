// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// Hooks on real nodes: each event once on each node with a hook, whatever fails meanwhile.
@Suite(.limitedConcurrency, .retriedAfterStall) struct HookTests {
    private func withTwo(_ body: (Broker, _ desk: HookedNode, _ kitchen: HookedNode) async throws -> Void) async throws
    {
        try await Broker.withBroker { broker in
            let address = "mqtt://127.0.0.1:\(broker.port)"
            let desk = try HookedNode("desk", broker: address)
            let kitchen = try HookedNode("kitchen", broker: address)
            for hooked in [desk, kitchen] {
                try await hooked.node.start()
                try await hooked.node.waitFor("the broker") { $0.linked == true }
            }
            try await body(broker, desk, kitchen)
            for hooked in [desk, kitchen] { try await hooked.node.kill() }
        }
    }

    private func start(_ hooked: HookedNode) async throws {
        try await hooked.node.start()
        try await hooked.node.waitFor("the broker") { $0.linked == true }
    }

    /// Presses on a node that is not the owner. A takeover would add an event.
    private func press(_ action: String, on hooked: HookedNode) async throws {
        let result = try await hooked.node.lockstep(action)
        if result.code == 4 || hooked.node.status.isOwner == true { throw Failed("no answer to \(action)") }
        #expect(result.code == 0, "\(result)")
    }

    @Test func eachEventIsReportedOnceOnEachNode() async throws {
        try await withTwo { _, desk, kitchen in
            var expected: [String] = []
            func tell(_ events: String...) async throws {
                expected += events
                for hooked in [desk, kitchen] { try await hooked.waitForEvents(expected) }
            }
            let id = try desk.node.begin([
                "title": "Reading & more", "plan": "focus 25m, shortBreak 5m", "label": "Study", "colour": "4c8dff",
            ])
            try await tell("started")
            try await press("pause", on: kitchen)
            try await tell("paused")
            #expect(try await desk.node.lockstep("resume").code == 0)
            try await tell("resumed")
            try await press("break", on: kitchen)
            try await tell("phase")

            for hooked in [desk, kitchen] {
                let read = try #require(hooked.inputs.last)
                #expect(read.keys.isSuperset(of: hooked.node.status.keys), "every field of a status report")
                #expect(read.node.text == hooked.node.id)
                let environment = hooked.environment(of: "phase")
                let wanted = [
                    "EVENT": "phase", "LATE": read.late == true ? "1" : "0", "SESSION": id, "TITLE": "Reading & more",
                    "STATUS": "running",
                    "OWNER": "desk", "NODE": hooked.node.id, "SPACE": "home", "PHASE": "1", "PHASES": "2",
                    "PHASE_KIND": "shortBreak", "LABEL": "Study", "COLOUR": "#4c8dff",
                    "IS_OWNER": hooked.node.id == "desk" ? "1" : "0", "SOCKET": hooked.node.socket.path,
                    "EVENT_AT": "\(read.at.int ?? 0)", "REMAINING_SECONDS": "300",
                ]
                for (name, value) in wanted { #expect(environment["LOCKSTEP_\(name)"] == value, "\(name)") }
            }
            #expect(desk.inputs.map(\.at) == kitchen.inputs.map(\.at), "the time of the event, not that of the hook")

            #expect(try await desk.node.lockstep("stop").code == 0)
            try await tell("stopped")
            try desk.node.begin(["seconds": 1])
            try await tell("started", "completed")
            try desk.node.begin(["seconds": 1_500])
            try await tell("started")
            let own = try kitchen.node.begin(["seconds": 1_500])
            try await tell("superseded", "started")
            let lost = try #require(desk.inputs.last { $0.event == "superseded" })
            #expect(lost.status == "superseded")
            #expect(lost.supersededBy.session.text == own)
        }
    }

    @Test func eventOfADownTimeIsReportedOnceAfterARestart() async throws {
        try await withTwo { try await expectEventsAfterReturn($1, $2) }
    }

    /// A session ends while both nodes are down. They must have reported its start and be killed within 10 s.
    private func expectEventsAfterReturn(_ desk: HookedNode, _ kitchen: HookedNode) async throws {
        try desk.node.begin(["seconds": 10])
        let ends = try #require(desk.node.status.endsAt.int)
        for hooked in [desk, kitchen] { try await hooked.waitForEvents(["started"]) }
        for hooked in [desk, kitchen] { try await hooked.node.kill() }
        try #require(now() < ends, "the session ended before both nodes were gone")
        try await eventually("its end", within: .seconds(120)) { now() > ends }
        for hooked in [desk, kitchen] { try await start(hooked) }
        for hooked in [desk, kitchen] {
            try await hooked.waitForEvents(["started", "completed late"])
            #expect(hooked.inputs.last?.at.int == ends)
        }
        // The file of the reported events survives too.
        for hooked in [desk, kitchen] { try await hooked.node.kill() }
        for hooked in [desk, kitchen] { try await start(hooked) }
        try desk.node.begin(["seconds": 1_500])
        for hooked in [desk, kitchen] { try await hooked.waitForEvents(["started", "completed late", "started"]) }
    }

    @Test func hookGetsNoSecretAndFindsItsNode() async throws {
        try await Broker.withBroker { broker in
            let lockstep = "\(Program.path("lockstep")) status --json > \"$HOOKED/status\"; echo $? > \"$HOOKED/code\""
            let hooked = try HookedNode(
                "desk",
                environment: [
                    "LOCKSTEP_BROKER": "mqtt://desk:hunter2@127.0.0.1:\(broker.port)", "MINE": "kept",
                    "LOCKSTEP_HOOK_PAUSED": lockstep,
                ])
            try await hooked.node.start()
            try hooked.node.begin()
            try await hooked.waitForEvents(["started"])
            let environment = hooked.environment(of: "started")
            #expect(environment["MINE"] == "kept")
            #expect(!environment.values.contains { $0.contains("hunter2") })
            #expect(!environment.keys.contains { $0.hasPrefix("LOCKSTEP_HOOK") || $0 == "LOCKSTEP_BROKER" })
            #expect(try await hooked.node.lockstep("pause").code == 0)
            try await eventually("the hook's own command") { hooked.node.directory.read("hooked/code").hasSuffix("\n") }
            let code = hooked.node.directory.read("hooked/code")
            if code == "4\n" { throw Failed("the node has not answered") }
            #expect(code == "0\n")
            #expect(try JSON(hooked.node.directory.read("hooked/status")).status == "paused")
            try await hooked.node.kill()
        }
    }
}
