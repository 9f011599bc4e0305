// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
import Support
import Testing
import Wire

@testable import NodeRuntime

@Suite(.timeLimit(.minutes(15))) struct JournalFileTests {
    private let place: JournalPlace

    init() throws { place = try JournalPlace() }

    private func status(_ name: String = "journal") -> stat {
        var status = stat()
        stat(place.path(name), &status)
        return status
    }

    @Test func missingJournalIsNothing() {
        #expect(place.isMissing)
        #expect(place.names.isEmpty)
    }

    @Test func lastWriteIsRead() throws {
        for epoch in 1...300 {
            try place.write(epoch)
            if epoch % 7 == 0 { #expect(place.readBack() == epoch) }
        }
        #expect(place.readBack() == 300)
        #expect(place.names == ["journal"], "no temporary file is left")
    }

    @Test func writeAppendsToTheFile() throws {
        try place.write(1)
        let before = status()
        try place.write(2)
        let after = status()
        #expect(after.st_ino == before.st_ino)
        #expect(after.st_size == before.st_size, "its room was allocated before")
        #expect(after.st_blocks == before.st_blocks)
        #expect(after.st_mode & 0o777 == 0o600)
        #expect(try place.bytes().starts(with: JournalPlace.line(1) + JournalPlace.line(2)))
    }

    @Test func fullJournalIsReplaced() throws {
        try place.write(1)
        let first = status().st_ino
        let reader = open(place.path("journal"), O_RDONLY)
        defer { close(reader) }
        var epoch = 1
        while status().st_ino == first, epoch < 1_000 {
            epoch += 1
            try place.write(epoch)
        }
        #expect((20..<1_000).contains(epoch))
        #expect(try place.bytes().starts(with: JournalPlace.line(epoch) + [0]))
        var old = stat()
        fstat(reader, &old)
        #expect(old.st_nlink == 0)
        #expect(place.readBack() == epoch)
    }

    @Test func journalLargerThanItsRoomIsKept() throws {
        let past = (0..<300).compactMap { SessionID("session-\($0)-of-a-long-list") }
        for epoch in 1...3 {
            let journal = Journal(epoch: epoch, past: past)
            try place.file.write(journal.json())
            place.reopen()
            guard case .journal(journal, tornBytes: 0) = place.file.load(at: 0) else {
                Issue.record("not read back")
                return
            }
        }
    }

    @Test func newProcessReplacesTheFile() throws {
        try place.write(1)
        let before = status().st_ino
        #expect(place.readBack() == 1)
        try place.write(2)
        #expect(status().st_ino != before)
        #expect(try place.bytes().starts(with: JournalPlace.line(2) + [0]))
    }

    @Test(arguments: ["", "{", "{\"v\":1}", "\u{0}\u{0}\u{0}\u{0}", String(repeating: "\u{0}", count: 300_000)])
    func journalWithoutAWholeRecordIsKeptAside(text: String) throws {
        try place.home.write(text, to: "state/journal")
        let damage = try place.damage(at: 1_234)
        #expect(damage.aside == place.path("journal.damaged-1234"))
        #expect(!damage.reason.isEmpty)
        #expect(damage.last == nil)
        #expect(place.home.read("state/journal.damaged-1234") == text)
        #expect(place.isMissing)
        try place.write(1)
        #expect(place.readBack() == 1)
    }

    @Test func recordOfALaterVersionIsKeptAside() throws {
        let later = JournalLines.line(of: Array("{\"v\":2}".utf8))
        try place.put(JournalPlace.line(3) + later)
        let damage = try place.damage()
        #expect(damage.last?.epoch == 3)
        #expect(damage.reason.contains("v is 2"))
        #expect(damage.aside == place.path("journal.damaged-5"))
        #expect(try place.bytes("journal.damaged-5").suffix(later.count).elementsEqual(later))
        #expect(place.readBack() == 3)
        #expect(place.names == ["journal", "journal.damaged-5"], "the journal is repaired")
    }

    @Test func directoryInPlaceOfTheJournalIsKeptAside() throws {
        mkdir(place.path("journal"), 0o700)
        #expect(try place.damage().reason.contains("journal"))
        try place.write(1)
        #expect(place.names == ["journal", "journal.damaged-5"])
    }

    @Test(.timeLimit(.minutes(15))) func pipeInPlaceOfTheJournalDoesNotBlock() throws {
        mkfifo(place.path("journal"), 0o600)
        #expect(try place.damage().aside != nil)
        mkfifo(place.path("journal.new"), 0o600)
        try place.write(1)
        #expect(place.readBack() == 1)
    }

    @Test func unreadableJournalIsKeptAside() throws {
        try place.write(1)
        chmod(place.path("journal"), 0)
        // Root can still read it.
        let mayRead = access(place.path("journal"), R_OK) == 0
        #expect(place.readBack() == (mayRead ? 1 : nil))
        try place.write(2)
        #expect(place.readBack() == 2)
    }

    @Test func hugeJournalIsKeptAside() throws {
        try place.home.write(String(repeating: " ", count: 2 << 20), to: "state/journal")
        #expect(try place.damage().aside != nil)
    }
}
