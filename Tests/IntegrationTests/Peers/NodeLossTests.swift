// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// A node is killed, stopped, started twice, or loses its journal.
@Suite(.limitedConcurrency, .retriedAfterStall) struct NodeLossTests {
    @Test func aKilledNodeContinuesItsSession() async throws {
        try await Space.with("desk", "kitchen") { space in
            let desk = space["desk"]
            let id = try desk.begin(["title": "Reading", "plan": "focus 25m, shortBreak 5m"])
            #expect(try await desk.lockstep("extend", "5m").code == 0)
            let before = try await space.peer.waitFor("session", of: "desk", "extended") { $0.rev == 2 }

            try await desk.kill()
            try await space.peer.waitFor("presence", of: "desk", "its will") { $0.online == false }
            try await space["kitchen"].waitFor("still running, by date") { $0.status == "running" }
            space.peer.forget()
            try await desk.start()
            let after = try await space.peer.waitFor("session", of: "desk", "it again") { $0 != .null }
            #expect(after == before, "a restart does not change the register")
            desk.status.expect(["session": .string(id), "isOwner": true, "totalSeconds": 1_800])
            #expect(try await space["kitchen"].lockstep("pause").code == 0)
        }
    }

    @Test func nodeWithoutItsJournalOrWithADamagedOneRecoversItsSession() async throws {
        try await Space.with("desk", "kitchen") { space in
            let desk = space["desk"]
            let id = try desk.begin()
            let before = try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
            try await desk.kill()
            try FileManager.default.removeItem(atPath: desk.directory.file("state/journal"))
            try await desk.start()
            try await desk.waitFor("its session, from the broker") { $0.session.text == id && $0.isOwner == true }
            let register = try await space.peer.waitFor("session", of: "desk", "the next epoch") {
                $0.epoch == .number((before.epoch.int ?? 0) + 1)
            }
            register.expect(["id": .string(id), "status": "running"])
            try await eventually("it is said") { desk.log.contains("restored from the broker") }
            #expect(try await space["kitchen"].lockstep("pause").code == 0)

            try await space.peer.waitFor("session", of: "desk", "the pause") { $0.status == "paused" }
            try await desk.kill()
            try desk.directory.write("{\"half\":", to: "state/journal")
            try await desk.start()
            try await desk.waitFor("its session again") { $0.session.text == id && $0.status == "paused" }
            #expect(desk.log.contains("journal.damaged-"))
            let files = try FileManager.default.contentsOfDirectory(atPath: desk.directory.file("state"))
            #expect(files.contains { $0.hasPrefix("journal.damaged-") })
        }
    }

    @Test func renamedNodeDoesNotPublishForItsOldName() async throws {
        try await Space.with("kitchen") { space in
            let broker = "mqtt://127.0.0.1:\(space.broker.port)"
            let old = try NodeProcess("desk", broker: broker)
            try await old.start()
            let id = try old.begin()
            try await space["kitchen"].waitFor("the session") { $0.session.text == id }
            try await old.end()
            let new = try NodeProcess("study", broker: broker, directory: old.directory)
            try await new.start()
            try await new.waitFor("the session of its former name") { $0.session.text == id && $0.owner == "desk" }
            #expect(new.status.isOwner == false)
            #expect(try await new.lockstep("pause").code == 0)
            try await space["kitchen"].waitFor("it at its new owner") { $0.owner == "study" && $0.lineage.text == id }
            #expect(space["kitchen"].row(of: "study").dropped == [:])
            try await new.end()
        }
    }

    @Test func anExitPublishesOfflineAndWaitsForNoDisplay() async throws {
        try await Space.with("desk", "kitchen") { space in
            let id = try space["desk"].begin()
            try await space["kitchen"].waitFor("the session") { $0.session.text == id }
            let register = try await space.peer.waitFor("session", of: "desk", "the session") { $0.id.text == id }
            // A hanging display must not delay the exit.
            let display = try space["desk"].socket.open(sending: "GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n")
            defer { close(display) }

            #expect(try await space["desk"].end(SIGTERM) == 0)
            try await space.peer.waitFor("presence", of: "desk", "offline") { $0.online == false }
            #expect(space.peer.latest("session", of: "desk") == register)
            #expect(space["kitchen"].status.status == "running")
            #expect(access(space["desk"].socket.path, F_OK) != 0, "the socket is gone")

            try await Peer.with("late", port: space.broker.port) { late in
                try await late.waitFor("session", of: "desk", "retained") { $0 == register }
                try await late.waitFor("presence", of: "desk", "retained, too") { $0.online == false }
            }
            try await space["desk"].start()
            #expect(try await space["desk"].end(SIGINT) == 0)
        }
    }

    @Test func anExitDoesNotWaitForAHangingBroker() async throws {
        try await Space.with("desk") { space in
            try space["desk"].begin()
            space.broker.suspend()
            let code = try await space["desk"].end()
            space.broker.resume()
            #expect(code == 0)
        }
    }

    @Test func aSecondProcessOnTheDirectoryIsRefused() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        let pid = try #require(desk.pid)
        let second = try await CommandLine.run(
            [
                "--node", "other", "--state-dir", desk.directory.file("state"), "--socket",
                desk.directory.file("b.sock"),
            ],
            program: "lockstep-node")
        #expect(second.code != 0)
        #expect(second.errors.contains(desk.directory.file("state")), "\(second)")
        #expect(second.errors.contains("process \(pid)"), "\(second)")
        #expect(desk.status.status == "idle", "the first node continues")
    }

    @Test func stateFilesBelongToTheirUserOnlyAndADyingDisplayEndsNoNode() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        try desk.begin()
        #expect(try mode(desk.socket.path) == 0o600)
        #expect(try mode(desk.directory.file("state")) == 0o700)
        #expect(try mode(desk.directory.file("state/journal")) == 0o600)
        for _ in 0..<5 {
            close(try desk.socket.open(sending: "GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n"))
            close(try desk.socket.open(sending: "POST /v1/start HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{"))
            try desk.begin()
        }
        #expect(desk.status.status == "running")
        try await desk.end()
        let shared = try NodeProcess("shared", environment: ["LOCKSTEP_SOCKET_GROUP": "on"])
        try await shared.start()
        #expect(try mode(shared.socket.path) == 0o660)
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0, "\(path)")
        return status.st_mode & 0o777
    }
}
