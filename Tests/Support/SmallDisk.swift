// SPDX-License-Identifier: Apache-2.0

// A plain `swift build` compiles this too, also without Testing.
#if canImport(Testing)

import Glibc
package import Testing

/// A disk in memory that a test can fill or make read-only.
package enum SmallDisk {
    /// Whether this process may mount a disk.
    private static let canMount: Bool = {
        guard getuid() == 0, let directory = try? TemporaryDirectory() else { return false }
        return mount(on: directory.path, "size=64k") && umount2(directory.path, 0) == 0
    }()

    package static let requiresMount = ConditionTrait.enabled(if: canMount, "only root of the machine may mount a disk")

    private static func mount(on folder: String, _ size: String, flags: UInt = 0) -> Bool {
        Glibc.mount("tmpfs", folder, "tmpfs", flags, "\(size),mode=700") == 0
    }

    /// Runs `body` with a disk at the state directory in `directory`.
    package static func with(
        size: String, in directory: TemporaryDirectory, _ body: (_ state: String) async throws -> Void
    ) async throws {
        let state = directory.file("state")
        mkdir(state, 0o700)
        try #require(mount(on: state, "size=\(size)"))
        defer { umount2(state, Int32(MNT_DETACH)) }
        try await body(state)
    }

    package static func makeReadOnly(_ state: String, size: String) throws {
        try #require(mount(on: state, "size=\(size)", flags: UInt(MS_REMOUNT | MS_RDONLY)))
    }

    /// Fills the disk; the removal of the file `filler` makes room.
    /// - Parameter kilobytes: The room that is left.
    package static func fill(_ state: String, block: Int, leaving kilobytes: Int = 0) {
        let filler = open(state + "/filler", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 1, count: block)
        var size = 0
        while case let count = write(filler, block, block.count), count > 0 { size += count }
        ftruncate(filler, size - kilobytes << 10)
        close(filler)
    }
}

#endif
