// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// The HTTP API of a node.
@Suite(.limitedConcurrency, .retriedAfterStall) struct HTTPTests {
    @Test func aLatePressNamesItsReason() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        let old = try desk.begin(["plan": "focus 25m, shortBreak 5m"])
        let new = try desk.begin(["plan": "focus 25m, shortBreak 5m"])
        var press: JSON = ["op": "stop"]
        press.session = .string(old)
        let late = try #require(desk.socket.request("POST", "/v1/intents", body: press.bytes))
        #expect(late.code == 409)
        #expect(late.body.reason == "superseded")
        #expect(late.body.by.session.text == new)
        press = ["op": "skip", "phase": 1]
        let stale = try #require(desk.socket.request("POST", "/v1/intents", body: press.bytes))
        #expect(stale.code == 409)
        #expect(stale.body.reason == "stalePhase")
        #expect(desk.status.phase == 0)
    }

    @Test func doctorNamesTheAddressesOfThePages() async throws {
        let port = Port.free()
        for (host, isForOthers) in [("127.0.0.1", false), ("0.0.0.0", true)] {
            let desk = try NodeProcess("desk", environment: ["LOCKSTEP_HTTP": "\(host):\(port)"])
            try await desk.startServing()
            let doctor = try await desk.lockstep("doctor", "--json")
            let pages = doctor.json.items.first { $0.check == "pages" } ?? .null
            #expect(pages.state == "ok", "\(doctor)")
            #expect(pages.found.text?.hasPrefix("http://127.0.0.1:\(port)/ on this machine") == true, "\(pages)")
            #expect(pages.found.text?.contains(".local:\(port)/ on others") == isForOthers, "\(pages)")
            try await desk.end()
        }
        let bare = try NodeProcess("bare")
        try await bare.start()
        let doctor = try await bare.lockstep("doctor", "--json")
        #expect(doctor.json.items.contains { $0.check == "node" }, "\(doctor)")
        #expect(!doctor.json.items.contains { $0.check == "pages" }, "\(doctor)")
    }

    @Test func aTakenPortStopsNoSessionAndDelaysNoExit() async throws {
        let address = "127.0.0.1:\(Port.free())"
        let first = try NodeProcess("first", environment: ["LOCKSTEP_HTTP": address])
        try await first.startServing()
        let second = try NodeProcess("second", environment: ["LOCKSTEP_HTTP": address])
        try await second.start()
        try await eventually("it says so") { second.log.contains("reason=another program listens there") }
        try await eventually("doctor knows it") { second.status.problems.items.map(\.kind) == ["noPage"] }
        let third = try NodeProcess("third", environment: ["LOCKSTEP_HTTP": address])
        try await third.start()
        try await eventually("it says so too") { third.log.contains("cannot be served yet") }
        #expect(try await third.end() == 0, "it does not wait for the port")
        #expect(!third.log.contains("error"))
        try second.begin()
        #expect(second.status.status == "running")
        #expect(try await second.lockstep("pause").code == 0)
        try await first.end()
        try await eventually("it has the port") { second.log.contains("page is served") }
        try await eventually("the problem is over") { second.status.problems == [] }
        #expect(second.log.split(separator: "\n").count { $0.contains("cannot be served yet") } == 1)
        #expect(second.status.status == "paused")
    }
}
