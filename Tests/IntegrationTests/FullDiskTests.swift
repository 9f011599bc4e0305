// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// The owner's state directory is on a disk that is full for a while.
@Suite(.takingTurns, .tryingAgain) struct FullDiskTests {
    /// A small disk of one's own takes the right to mount one.
    private static let canMount: Bool = {
        guard getuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        return mount(directory.path) && umount2(directory.path, 0) == 0
    }()

    private static func mount(_ path: String) -> Bool {
        Glibc.mount("tmpfs", path, "tmpfs", 0, "size=64k,mode=700") == 0
    }

    @Test(.enabled(if: canMount, "only root of the machine may mount a disk"))
    func whatIsNotOnDiskIsNotTold() async throws {
        let directory = try TemporaryDirectory()
        let state = directory.file("state")
        mkdir(state, 0o700)
        try #require(Self.mount(state))
        defer { umount2(state, Int32(MNT_DETACH)) }
        try await FaultySpace.with(deskDirectory: directory) { space, id in
            fill(state)
            #expect(await space.extend(space.desk).outcome == "applied", "the person is not made to wait")
            #expect(space.desk.status.totalSeconds == 1_560)
            async let pressed = space.extend(space.kitchen)
            try await space.peer.sees("intent", of: "kitchen", "a press") { $0.op == "extend" }
            try await space.peer.isHeard(by: space.desk)
            #expect(space.peer.latest("session", of: "desk").rev == 1, "a crash now could forget the rest")
            #expect(space.peer.all("ack", of: "desk").isEmpty)
            unlink(state + "/filler")
            #expect(["applied", "noAnswer"].contains(await pressed.outcome), "it may have taken too long")
            // A press that waits for four seconds is reason enough to take over.
            if space.kitchen.status.isOwner == true { throw StoodStill("kitchen took over") }
            try await space.agrees("both presses") { $0.totalSeconds == 1_620 && $0.session.text == id }
            try await space.desk.kill()
            try await space.desk.start()
            try await space.agrees("both presses, from the disk") { $0.totalSeconds == 1_620 && $0.revision == 3 }
        }
    }

    private func fill(_ directory: String) {
        let filler = open(directory + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(filler, block, block.count) > 0 {}
        close(filler)
    }
}
