// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// The owner's state directory is on a disk that is full for a while.
@Suite(.limitedConcurrency, .retriedAfterStall) struct FullDiskTests {
    @Test(SmallDisk.requiresMount) func registerIsPublishedAfterItIsOnDisk() async throws {
        let directory = try TemporaryDirectory()
        try await SmallDisk.with(size: "64k", in: directory) { state in
            try await FaultySpace.with(deskDirectory: directory) { space, id in
                SmallDisk.fill(state, block: 4_096)
                #expect(await space.extend(space.desk).outcome == "applied", "a local press does not wait")
                #expect(space.desk.status.totalSeconds == 1_560)
                async let pressed = space.extend(space.kitchen)
                try await space.peer.waitFor("intent", of: "kitchen", "a press") { $0.op == "extend" }
                try await space.peer.waitUntilHandled(by: space.desk)
                #expect(space.peer.latest("session", of: "desk").rev == 1, "a crash now could forget the rest")
                #expect(space.peer.messages(on: "ack", of: "desk").isEmpty)
                unlink(state + "/filler")
                #expect(["applied", "noAnswer"].contains(await pressed.outcome), "it may have taken too long")
                // A press that waits for four seconds is reason enough to take over.
                if space.kitchen.status.isOwner == true { throw Failed("kitchen took over") }
                try await space.waitForAgreement("both presses") { $0.totalSeconds == 1_620 && $0.session.text == id }
                try await space.desk.kill()
                try await space.desk.start()
                try await space.waitForAgreement("both presses, from the disk") {
                    $0.totalSeconds == 1_620 && $0.revision == 3
                }
            }
        }
    }

    @Test(SmallDisk.requiresMount) func everyAnswerAndDisplayReportsAFullDisk() async throws {
        let directory = try TemporaryDirectory()
        try await SmallDisk.with(size: "64k", in: directory) { state in
            let port = Port.free()
            let desk = try NodeProcess("desk", options: ["--http", "127.0.0.1:\(port)"], directory: directory)
            try await desk.startServing()
            #expect(try await desk.lockstep("start", "Reading").code == 0)
            #expect(desk.status.problems.items.isEmpty)
            #expect(try await get("/health", port).hasPrefix("HTTP/1.1 200"))

            SmallDisk.fill(state, block: 4_096)
            try await desk.lockstep("pause").expect(7, says: "Session paused", errors: "not saved", state)
            let again = try await desk.lockstep("start", "Writing", "--json").expect(7)
            #expect(again.json.outcome == "applied", "\(again)")
            #expect(again.json.problem.kind == "unsaved", "\(again)")
            let added = await desk.socket.requestAside(
                "POST", "/v1/debt", body: Array(#"{"day":"2026-11-01","from":"09:00","to":"09:50"}"#.utf8))
            #expect(added?.code == 503, "\(added?.body ?? .null)")
            #expect(
                added?.body.reason.text?.contains("the session is not saved: cannot") == true, "\(added?.body ?? .null)"
            )
            #expect(desk.nodes.items.first?.recordsWaiting == 1, "that of the session which was saved")
            let text = try await desk.lockstep("status")
            #expect(text.output.contains("warning: changes are not saved"), "\(text)")
            #expect(desk.status.problems.items.map(\.kind) == ["unsaved"])
            let bar = try await desk.lockstep("status", "--style", "compact", "--format", "waybar")
            #expect(bar.output.contains("unsaved"), "\(bar)")
            #expect(bar.output.contains("Not saved"), "\(bar)")
            try await desk.lockstep("doctor").expect(3, says: "WRONG disk", state, "0 of 64 KB are free")
            #expect(try await get("/health", port).hasPrefix("HTTP/1.1 503"))
            let metrics = try await get("/metrics", port)
            #expect(metrics.contains("\nlockstep_journal_saved 0.0"), "\(metrics)")
            #expect(!metrics.contains("\nlockstep_journal_failures_total 0"), "\(metrics)")

            unlink(state + "/filler")
            try await desk.waitFor("that all is saved") { $0.problems == [] }
            #expect(try await desk.lockstep("extend", "1m").code == 0)
            #expect(try await get("/health", port).hasPrefix("HTTP/1.1 200"))
            #expect(try await desk.lockstep("doctor").output.contains("ok    disk"))
            #expect(desk.log.split(separator: "\n").count { $0.contains("the journal cannot be written") } == 1)
            try await desk.kill()
            try await desk.start()
            desk.status.expect(["title": "Writing", "totalSeconds": 1_560])
        }
    }

    /// A read-only file system differs from a full one in that not even a lock can be made.
    @Test(SmallDisk.requiresMount) func aNodeStartsInADirectoryThatCannotBeWritten() async throws {
        let directory = try TemporaryDirectory()
        try await SmallDisk.with(size: "64k", in: directory) { state in
            try SmallDisk.makeReadOnly(state, size: "64k")
            let port = Port.free()
            let desk = try NodeProcess("desk", options: ["--http", "127.0.0.1:\(port)"], directory: directory)
            try await desk.startServing()
            try await desk.lockstep("start", "Reading").expect(
                7, says: "Session started", errors: "Read-only file system", "or make it writable")
            #expect(desk.status.title == "Reading")
        }
    }

    /// The answer to a request of the node's page, head and body.
    private func get(_ path: String, _ port: Int) async throws -> String {
        try await Curl.answer("http://127.0.0.1:\(port)\(path)", trusting: "/dev/null").text
    }
}
