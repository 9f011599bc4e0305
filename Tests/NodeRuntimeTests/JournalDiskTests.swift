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
@Suite(.timeLimit(.minutes(15)), SmallDisk.requiresMount)
struct JournalDiskTests {
    /// Calls `body` with a state directory on such a disk.
    private func withDisk(_ body: (_ state: String, StateDirectory) throws -> Void) async throws {
        let size = "\(2 * JournalFile.standardCapacity >> 10)k"
        try await SmallDisk.with(size: size, in: TemporaryDirectory()) { try body($0, StateDirectory($0)) }
    }

    private func lastEpoch(in state: String) throws -> Int? {
        let bytes = [UInt8](try Data(contentsOf: .init(filePath: state + "/journal")))
        guard let last = JournalLines(in: bytes).whole.last else { return nil }
        return (1...200).first { JournalPlace.journal($0).json() == Array(bytes[last]) }
    }

    @Test func fullDiskKeepsWritesThatHaveRoom() async throws {
        try await withDisk { state, directory in
            let file = JournalFile(directory: directory)
            try file.write(JournalPlace.journal(1).json())
            SmallDisk.fill(state, block: 4_096)
            for epoch in 2...100 { try file.write(JournalPlace.journal(epoch).json()) }
            #expect(try lastEpoch(in: state) == 100)
        }
    }

    @Test func littleRoomLeadsToSmallReplacements() async throws {
        try await withDisk { state, directory in
            let file = JournalFile(directory: directory)
            SmallDisk.fill(state, block: 4_096, leaving: 16)
            for epoch in 1...20 {
                try file.write(JournalPlace.journal(epoch).json())
                #expect(try lastEpoch(in: state) == epoch)
            }
            unlink(state + "/filler")
            for epoch in 21...40 { try file.write(JournalPlace.journal(epoch).json()) }
            #expect(try lastEpoch(in: state) == 40)
            let size = try Data(contentsOf: .init(filePath: state + "/journal")).count
            #expect(size == JournalFile.standardCapacity)
        }
    }

    @Test func writeWithoutRoomFailsAndKeepsTheOldJournal() async throws {
        try await withDisk { state, directory in
            try JournalFile(directory: directory).write(JournalPlace.journal(1).json())
            // A new process replaces the file, for which there is no room.
            let file = JournalFile(directory: directory)
            SmallDisk.fill(state, block: 4_096)
            for epoch in 2...5 {
                #expect(throws: FileError.self) { try file.write(JournalPlace.journal(epoch).json()) }
                #expect(try lastEpoch(in: state) == 1)
            }
            unlink(state + "/filler")
            try file.write(JournalPlace.journal(6).json())
            #expect(try lastEpoch(in: state) == 6)
        }
    }
}
