// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
import Support
import Testing
import Wire

@testable import Shell

/// What a crash, a bad disk and a full one leave: never another journal than one that was written.
@Suite struct JournalCrashTests {
    private let place: JournalPlace

    init() throws { place = try JournalPlace() }

    private func padded(_ bytes: [UInt8], to count: Int = 4_096) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: max(0, count - bytes.count))
    }

    // MARK: A crash in the middle of an append

    @Test(arguments: [0, 4_096])
    func anAppendThatEndedAnywhereLeavesTheOneBefore(room: Int) throws {
        let whole = JournalPlace.line(1) + JournalPlace.line(2)
        let next = JournalPlace.line(3)
        for count in 0...next.count {
            try place.put(padded(whole + next[..<count], to: room))
            place.reopen()
            guard case .journal(let found, let torn) = place.file.load(at: 5) else {
                Issue.record("\(count) bytes of an append are taken for damage")
                return
            }
            // Without its last byte, the line's end, the record is there.
            #expect(found.epoch == (count >= next.count - 1 ? 3 : 2))
            #expect(torn == (count >= next.count - 1 ? 0 : count))
            #expect(place.names == ["journal"])
        }
    }

    /// The disk need not keep the order within one write.
    @Test func anAppendOfWhichOnlySomeSectorsArrivedLeavesTheOneBefore() throws {
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

    @Test func whatFollowsATornAppendIsWhole() throws {
        try place.put(padded(JournalPlace.line(1) + JournalPlace.line(2).dropLast(5)))
        #expect(place.readBack() == 1)
        for epoch in 3...5 { try place.write(epoch) }
        #expect(place.readBack() == 5)
        #expect(place.names == ["journal"])
    }

    // MARK: Damage

    @Test func anyChangedByteIsFoundAndCostsNoMoreThanItsRecord() throws {
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
                // The end of the last line, and bytes that became zero, look as a crash leaves them.
                let mayBeTorn = isLast && bytes[index] == 0
                switch place.file.load(at: 9) {
                case .journal(let found, _):
                    #expect(mayBeTorn, "byte \(index) ^ \(change) is not noticed")
                    #expect(found.epoch == 2 || (found.epoch == 3 && index == whole.count - 1))
                case .damaged(let aside, _, let last):
                    #expect(!mayBeTorn)
                    #expect(last?.epoch == (isLast && index != whole.count - 1 ? 2 : 3))
                    #expect(aside == place.path("journal.damaged-9"))
                    #expect(try place.bytes("journal.damaged-9") == bytes, "as it was found")
                    unlink(place.path("journal.damaged-9"))
                    #expect(place.readBack() == last?.epoch, "mended")
                case .nothing: Issue.record("byte \(index) ^ \(change): nothing")
                }
                #expect(place.names == ["journal"])
            }
        }
    }

    @Test func bytesThatAppearBehindTheLastRecordTouchNothing() throws {
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

    /// The process ends where a call fails: what is on disk then is the state before or after.
    @Test(arguments: JournalFile.Step.allCases, [true, false])
    func aCrashAtAnyStepRepeatsAndNeverLoses(step: JournalFile.Step, isFull: Bool) throws {
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

    /// The process goes on after a failure: no write may hide or undo another.
    @Test(arguments: JournalFile.Step.allCases)
    func aFailureAtAnyStepIsMadeUpForByTheNextWrite(step: JournalFile.Step) throws {
        try place.write(1)
        for epoch in stride(from: 2, to: 200, by: 3) {
            place.file.before = failing(step)
            let isWritten = (try? place.write(epoch)) != nil
            let isAgain = (try? place.write(epoch + 1)) != nil
            place.file.before = { _ in }
            let kept = JournalRecords(in: try place.bytes())
            #expect(kept.damagedAt == nil)
            #expect(
                !isWritten || isAgain || step == .rename || step == .syncDirectory || step == .sync || step == .create)
            try place.write(epoch + 2)
            let bytes = try place.bytes()
            let records = JournalRecords(in: bytes)
            #expect(records.damagedAt == nil && records.torn == 0)
            let last = try #require(records.whole.last)
            #expect(Array(bytes[last]) == JournalPlace.journal(epoch + 2).json())
        }
        #expect(place.readBack() == 199)
    }

    private func room() throws -> Int {
        try place.bytes().reversed().prefix { $0 == 0 }.count
    }

    @Test func remainsOfAReplacementArePassedOver() throws {
        let next = padded(JournalPlace.line(2))
        for count in [0, 1, 17, 18, JournalPlace.line(2).count, next.count] {
            try place.put(JournalPlace.line(1))
            try place.put(Array(next[..<count]), as: "journal.new")
            #expect(place.readBack() == 1)
            try place.write(3)
            #expect(place.readBack() == 3)
            #expect(place.names == ["journal"])
        }
    }

    @Test func whatCannotBeReplacedIsSaidAndLeavesTheOldOne() throws {
        try place.write(1)
        #expect(place.readBack() == 1)
        // Not even root can write a file where a directory stands.
        mkdir(place.path("journal.new"), 0o700)
        #expect(throws: FileError.self) { try place.write(2) }
        #expect(place.readBack() == 1)
        rmdir(place.path("journal.new"))
        try place.write(3)
        #expect(place.readBack() == 3)
    }
}
