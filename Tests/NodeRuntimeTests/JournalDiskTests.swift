// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Platform
import Settings
import Support
import Testing
import Wire

@testable import NodeRuntime

/// The journal on a full disk, which is a small one in memory. Only root can mount it.
@Suite(.timeLimit(.minutes(15)), .enabled(if: SmallDisk.isAllowed, "only root of the machine may mount a disk"))
struct JournalDiskTests {
    private static let kilobytes = 2 * JournalFile.standardCapacity >> 10

    @Test func fullDiskKeepsWritesThatHaveRoom() throws {
        let disk = try SmallDisk(kilobytes: Self.kilobytes)
        let file = JournalFile(directory: try StateDirectory(disk.path + "/state"))
        try file.write(JournalPlace.journal(1).json())
        try disk.fill(leaving: 0)
        for epoch in 2...100 { try file.write(JournalPlace.journal(epoch).json()) }
        #expect(disk.epoch == 100)
    }

    @Test func littleRoomLeadsToSmallReplacements() throws {
        let disk = try SmallDisk(kilobytes: Self.kilobytes)
        let file = JournalFile(directory: try StateDirectory(disk.path + "/state"))
        try disk.fill(leaving: 16)
        for epoch in 1...20 {
            try file.write(JournalPlace.journal(epoch).json())
            #expect(disk.epoch == epoch)
        }
        disk.empty()
        for epoch in 21...40 { try file.write(JournalPlace.journal(epoch).json()) }
        #expect(disk.epoch == 40)
        let size = try Data(contentsOf: .init(filePath: disk.path + "/state/journal")).count
        #expect(size == JournalFile.standardCapacity)
    }

    @Test func writeWithoutRoomFailsAndKeepsTheOldJournal() throws {
        let disk = try SmallDisk(kilobytes: Self.kilobytes)
        let directory = try StateDirectory(disk.path + "/state")
        try JournalFile(directory: directory).write(JournalPlace.journal(1).json())
        // A new process replaces the file, for which there is no room.
        let file = JournalFile(directory: directory)
        try disk.fill(leaving: 0)
        for epoch in 2...5 {
            #expect(throws: FileError.self) { try file.write(JournalPlace.journal(epoch).json()) }
            #expect(disk.epoch == 1)
        }
        disk.empty()
        try file.write(JournalPlace.journal(6).json())
        #expect(disk.epoch == 6)
    }
}

/// A small file system in memory.
private final class SmallDisk {
    let path: String
    private let home: TemporaryDirectory

    static let isAllowed: Bool = (try? SmallDisk(kilobytes: 64)) != nil

    init(kilobytes: Int) throws {
        home = try TemporaryDirectory()
        path = home.file("disk")
        mkdir(path, 0o700)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            throw NoDisk(description: "no file system: error \(errno)")
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    func fill(leaving kilobytes: Int) throws {
        let file = open(path + "/ballast", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        let page = [UInt8](repeating: 0, count: 4_096)
        var size: off_t = 0
        while write(file, page, page.count) == page.count { size += off_t(page.count) }
        guard errno == ENOSPC else { throw NoDisk(description: "not full: error \(errno)") }
        ftruncate(file, size - off_t(kilobytes << 10))
    }

    func empty() { unlink(path + "/ballast") }

    var epoch: Int? {
        guard let data = try? Data(contentsOf: .init(filePath: path + "/state/journal")) else { return nil }
        let bytes = Array(data)
        guard let last = JournalRecords(in: bytes).whole.last else { return nil }
        return (1...200).first { JournalPlace.journal($0).json() == Array(bytes[last]) }
    }
}

private struct NoDisk: Error, CustomStringConvertible {
    var description: String
}
