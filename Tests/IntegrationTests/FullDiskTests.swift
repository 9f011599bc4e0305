// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// The owner's state directory is on a disk that is full for a while.
@Suite(.limitedConcurrency, .retriedAfterStall) struct FullDiskTests {
    /// Whether this process may mount a small disk.
    private static let canMount: Bool = {
        guard getuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        return mount(directory.path) && umount2(directory.path, 0) == 0
    }()

    private static func mount(_ path: String) -> Bool {
        Glibc.mount("tmpfs", path, "tmpfs", 0, "size=64k,mode=700") == 0
    }

    @Test(.enabled(if: canMount, "only root of the machine may mount a disk"))
    func registerIsPublishedAfterItIsOnDisk() async throws {
        let directory = try TemporaryDirectory()
        let state = directory.file("state")
        mkdir(state, 0o700)
        try #require(Self.mount(state))
        defer { umount2(state, Int32(MNT_DETACH)) }
        try await FaultySpace.with(deskDirectory: directory) { space, id in
            fill(state)
            #expect(await space.extend(space.desk).outcome == "applied", "a local press does not wait")
            #expect(space.desk.status.totalSeconds == 1_560)
            async let pressed = space.extend(space.kitchen)
            try await space.peer.waitFor("intent", of: "kitchen", "a press") { $0.op == "extend" }
            try await space.peer.waitUntilHandled(by: space.desk)
            #expect(space.peer.latest("session", of: "desk").rev == 1, "a crash now could forget the rest")
            #expect(space.peer.all("ack", of: "desk").isEmpty)
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

    @Test(.enabled(if: canMount, "only root of the machine may mount a disk"))
    func everyAnswerAndDisplayReportsAFullDisk() async throws {
        let directory = try TemporaryDirectory()
        let state = directory.file("state")
        mkdir(state, 0o700)
        try #require(Self.mount(state))
        defer { umount2(state, Int32(MNT_DETACH)) }
        let port = Port.free()
        let desk = try NodeProcess("desk", options: ["--http", "127.0.0.1:\(port)"], directory: directory)
        try await desk.start()
        try await eventually("desk serves its page") { desk.log.contains("the kiosk page is served") }
        #expect(try await desk.lockstep("start", "Reading").code == 0)
        #expect(desk.status.problems.items.isEmpty)
        #expect(Self.get("/health", port).hasPrefix("HTTP/1.1 200"))

        fill(state)
        let paused = try await desk.lockstep("pause")
        #expect(paused.code == 7, "\(paused)")
        #expect(paused.output.contains("Session paused"), "\(paused)")
        #expect(paused.errors.contains("not saved"), "\(paused)")
        #expect(paused.errors.contains(state), "\(paused)")
        let again = try await desk.lockstep("start", "Writing", "--json")
        #expect(again.code == 7, "\(again)")
        #expect(again.json.outcome == "applied", "\(again)")
        #expect(again.json.problem.kind == "unsaved", "\(again)")
        let text = try await desk.lockstep("status")
        #expect(text.output.contains("warning: changes are not saved"), "\(text)")
        #expect(desk.status.problems.items.map(\.kind) == ["unsaved"])
        let bar = try await desk.lockstep("status", "--style", "compact", "--format", "waybar")
        #expect(bar.output.contains("unsaved"), "\(bar)")
        #expect(bar.output.contains("Not saved"), "\(bar)")
        let doctor = try await desk.lockstep("doctor")
        #expect(doctor.code == 3, "\(doctor)")
        #expect(doctor.output.contains("WRONG disk"), "\(doctor)")
        #expect(doctor.output.contains(state), "\(doctor)")
        #expect(doctor.output.contains("0 of 64 KB are free"), "\(doctor)")
        #expect(Self.get("/health", port).hasPrefix("HTTP/1.1 503"))
        let metrics = Self.get("/metrics", port)
        #expect(metrics.contains("\nlockstep_journal_saved 0.0"), "\(metrics)")
        #expect(!metrics.contains("\nlockstep_journal_failures_total 0"), "\(metrics)")

        unlink(state + "/filler")
        try await desk.waitFor("that all is saved") { $0.problems == [] }
        #expect(try await desk.lockstep("extend", "1m").code == 0)
        #expect(Self.get("/health", port).hasPrefix("HTTP/1.1 200"))
        #expect(try await desk.lockstep("doctor").output.contains("ok    disk"))
        #expect(desk.log.split(separator: "\n").count { $0.contains("the journal cannot be written") } == 1)
        try await desk.kill()
        try await desk.start()
        #expect(desk.status.title == "Writing")
        #expect(desk.status.totalSeconds == 1_560)
    }

    /// A read-only file system differs from a full one in that not even a lock can be made.
    @Test(.enabled(if: canMount, "only root of the machine may mount a disk"))
    func aNodeStartsInADirectoryThatCannotBeWritten() async throws {
        let directory = try TemporaryDirectory()
        let state = directory.file("state")
        mkdir(state, 0o700)
        try #require(Self.mount(state))
        defer { umount2(state, Int32(MNT_DETACH)) }
        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        try #require(Glibc.mount("tmpfs", state, "tmpfs", flags, "size=64k") == 0)
        let port = Port.free()
        let desk = try NodeProcess("desk", options: ["--http", "127.0.0.1:\(port)"], directory: directory)
        try await desk.start()
        try await eventually("desk serves its page") { desk.log.contains("the kiosk page is served") }
        let started = try await desk.lockstep("start", "Reading")
        #expect(started.code == 7, "\(started)")
        #expect(started.output.contains("Session started"), "\(started)")
        #expect(started.errors.contains("Read-only file system"), "\(started)")
        #expect(started.errors.contains("or make it writable"), "\(started)")
        #expect(desk.status.title == "Reading")
        try await desk.end()
    }

    /// The answer to a request of the node's page, head and body.
    private static func get(_ path: String, _ port: Int) -> String {
        guard let socket = Port.connected(port) else { return "" }
        defer { close(socket) }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        _ = request.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count > 0 { answer += chunk[..<count] } else if count == 0 || errno != EAGAIN { break }
        }
        return String(decoding: answer, as: UTF8.self)
    }

    private func fill(_ directory: String) {
        let filler = open(directory + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(filler, block, block.count) > 0 {}
        close(filler)
    }
}
