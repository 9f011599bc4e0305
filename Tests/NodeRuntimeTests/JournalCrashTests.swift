// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Session
import Support
import Testing
import Wire

@testable import NodeRuntime

/// Crashes, damage and full disks never yield a journal that was not written.
@Suite(.timeLimit(.minutes(15))) struct JournalCrashTests {
    private let place: JournalPlace

    init() throws { place = try JournalPlace() }

    private func padded(_ bytes: [UInt8], to count: Int = 4_096) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: max(0, count - bytes.count))
    }

    // MARK: A crash in the middle of an append

    @Test(arguments: [0, 4_096])
    func tornAppendKeepsTheEarlierRecord(room: Int) throws {
        let whole = JournalPlace.line(1) + JournalPlace.line(2)
        let next = JournalPlace.line(3)
        for count in 0...next.count {
            try place.put(padded(whole + next[..<count], to: room))
            place.reopen()
            guard case .journal(let found, let torn) = place.file.load(at: 5) else {
                Issue.record("\(count) bytes of an append are reported as damage")
                return
            }
            // The record is whole without its last byte, the line feed.
            #expect(found.epoch == (count >= next.count - 1 ? 3 : 2))
            #expect(torn == (count >= next.count - 1 ? 0 : count))
            #expect(place.names == ["journal"])
        }
    }

    /// A disk may reorder the sectors of one write.
    @Test func appendWithMissingSectorsKeepsTheEarlierRecord() throws {
        let whole = JournalPlace.line(1) + JournalPlace.line(2)
        let next = JournalPlace.line(3)
        for sector in [8, 16, 32] {
            for arrived in 0..<1 << (next.count / sector) {
                var bytes = next
                for index in bytes.indices where arrived >> (index / sector) & 1 == 0 { bytes[index] = 0 }
                try place.put(padded(whole + bytes))
                let found = place.readBack()
                let isWhole = bytes.dropLast() == next.dropLast()
                #expect(found == (isWhole ? 3 : 2))
                #expect(place.names == ["journal"], "no damage")
                if found == nil { return }
            }
        }
    }

    @Test func writesAfterATornAppendAreWhole() throws {
        try place.put(padded(JournalPlace.line(1) + JournalPlace.line(2).dropLast(5)))
        #expect(place.readBack() == 1)
        for epoch in 3...5 { try place.write(epoch) }
        #expect(place.readBack() == 5)
        #expect(place.names == ["journal"])
    }

    // MARK: Damage

    @Test func changedByteIsFoundAndLosesOnlyItsRecord() throws {
        let lines = (1...3).map(JournalPlace.line)
        let whole = Array(lines.joined())
        let lastStart = lines[0].count + lines[1].count
        for index in whole.indices {
            for change in [1, 32, 128, 255, whole[index]] as [UInt8] {
                var bytes = padded(whole)
                bytes[index] ^= change
                try place.put(bytes)
                place.reopen()
                let isLast = index >= lastStart
                // A missing end of the last line and zero bytes look like a crash.
                let mayBeTorn = isLast && bytes[index] == 0
                switch place.file.load(at: 9) {
                case .journal(let found, _):
                    #expect(mayBeTorn, "byte \(index) ^ \(change) is not detected")
                    #expect(found.epoch == 2 || (found.epoch == 3 && index == whole.count - 1))
                case .damaged(let aside, _, let last):
                    #expect(!mayBeTorn)
                    #expect(last?.epoch == (isLast && index != whole.count - 1 ? 2 : 3))
                    #expect(aside == place.path("journal.damaged-9"))
                    #expect(try place.bytes("journal.damaged-9") == bytes, "as it was found")
                    unlink(place.path("journal.damaged-9"))
                    #expect(place.readBack() == last?.epoch, "the journal is repaired")
                case .nothing: Issue.record("byte \(index) ^ \(change): nothing")
                }
                #expect(place.names == ["journal"])
            }
        }
    }

    @Test func bytesBehindTheLastRecordAreIgnored() throws {
        let whole = JournalPlace.line(1) + JournalPlace.line(2)
        for index in [whole.count, whole.count + 1, 3_000, 4_095] {
            for byte in [1, 10, 32, 255] as [UInt8] {
                var bytes = padded(whole)
                bytes[index] = byte
                try place.put(bytes)
                #expect(place.readBack() == 2)
            }
        }
    }

    // MARK: A crash, or a failure, at any step of a write

    private func failing(_ step: JournalFile.Step) -> (JournalFile.Step) throws(FileError) -> Void {
        { (here: JournalFile.Step) throws(FileError) in
            if here == step { throw FileError(path: "journal", action: "test", code: EIO) }
        }
    }

    /// The process ends at a failing call: the disk holds the state before or after the write.
    @Test(arguments: JournalFile.Step.allCases, [true, false])
    func crashAtAnyStepLosesNoWrite(step: JournalFile.Step, isFull: Bool) throws {
        try place.write(1)
        try place.write(2)
        var epoch = 2
        while isFull, try room() >= JournalPlace.line(100).count {
            epoch += 1
            try place.write(epoch)
        }
        place.file.before = failing(step)
        let isWritten = (try? place.write(epoch + 1)) != nil
        let found = place.readBack()
        #expect(isWritten ? found == epoch + 1 : found == epoch || found == epoch + 1)
        try place.write(epoch + 2)
        #expect(place.readBack() == epoch + 2)
        #expect(place.names == ["journal"])
    }

    /// The process continues after a failure: no write may hide or undo another.
    @Test(arguments: JournalFile.Step.allCases)
    func nextWriteRepairsAFailureAtAnyStep(step: JournalFile.Step) throws {
        try place.write(1)
        for epoch in stride(from: 2, to: 200, by: 3) {
            place.file.before = failing(step)
            let isWritten = (try? place.write(epoch)) != nil
            let isAgain = (try? place.write(epoch + 1)) != nil
            place.file.before = { _ in }
            let kept = JournalLines(in: try place.bytes())
            #expect(kept.damagedAt == nil)
            #expect(
                !isWritten || isAgain || step == .replace(.rename) || step == .replace(.flushDirectory)
                    || step == .replace(.flush) || step == .replace(.create))
            try place.write(epoch + 2)
            let bytes = try place.bytes()
            let records = JournalLines(in: bytes)
            #expect(records.damagedAt == nil)
            #expect(records.torn == 0)
            let last = try #require(records.whole.last)
            #expect(Array(bytes[last]) == JournalPlace.journal(epoch + 2).json())
        }
        #expect(place.readBack() == 199)
    }

    private func room() throws -> Int {
        try place.bytes().reversed().prefix { $0 == 0 }.count
    }

    @Test func remainsOfAReplacementAreIgnored() throws {
        let next = padded(JournalPlace.line(2))
        for count in [0, 1, 25, 26, JournalPlace.line(2).count, next.count] {
            try place.put(JournalPlace.line(1))
            try place.put(Array(next[..<count]), as: "journal.new")
            #expect(place.readBack() == 1)
            try place.write(3)
            #expect(place.readBack() == 3)
            #expect(place.names == ["journal"])
        }
    }

    @Test func failedReplacementThrowsAndKeepsTheOldJournal() throws {
        try place.write(1)
        #expect(place.readBack() == 1)
        // Not even root can write a file in place of a directory.
        mkdir(place.path("journal.new"), 0o700)
        #expect(throws: FileError.self) { try place.write(2) }
        #expect(place.readBack() == 1)
        rmdir(place.path("journal.new"))
        try place.write(3)
        #expect(place.readBack() == 3)
    }
}
