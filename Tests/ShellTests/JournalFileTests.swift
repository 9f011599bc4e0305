// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Session
import Support
import Testing
import Wire

@testable import Shell

@Suite struct JournalFileTests {
    private let home: TemporaryDirectory
    private let directory: StateDirectory
    private let file: JournalFile

    init() throws {
        home = try TemporaryDirectory()
        directory = try StateDirectory(home.file("state"))
        file = JournalFile(directory: directory)
    }

    private func journal(epoch: Int) -> Journal {
        var journal = Journal()
        journal.epoch = epoch
        return journal
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
    }

    @Test func aMissingOneIsNothing() {
        guard case .nothing = file.load(at: 0) else {
            Issue.record("not nothing")
            return
        }
        #expect(names == ["lock"])
    }

    @Test func whatWasWrittenIsRead() throws {
        for epoch in 1...3 {
            try file.replace(with: journal(epoch: epoch))
            guard case .journal(let found) = file.load(at: 0) else {
                Issue.record("not a journal")
                return
            }
            #expect(found == journal(epoch: epoch))
        }
        #expect(names == ["journal.json", "lock"], "nothing half is left")
    }

    @Test func itIsReplacedAsAWhole() throws {
        try file.replace(with: journal(epoch: 1))
        let path = directory.path + "/journal.json"
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        var before = stat()
        fstat(reader, &before)
        try file.replace(with: journal(epoch: 2))
        var after = stat()
        fstat(reader, &after)
        #expect(after.st_size == before.st_size)
        #expect(after.st_nlink == 0, "the old file is another one, and whole, for whoever still reads it")
        var present = stat()
        stat(path, &present)
        #expect(present.st_ino != before.st_ino)
        #expect(present.st_mode & 0o777 == 0o600)
    }

    @Test func whatACrashLeftHalfIsPassedOver() throws {
        try file.replace(with: journal(epoch: 1))
        try home.write("{\"v\":1,", to: "state/journal.json.new")
        guard case .journal(let found) = file.load(at: 0) else {
            Issue.record("not a journal")
            return
        }
        #expect(found.epoch == 1)
        try file.replace(with: journal(epoch: 2))
        #expect(names == ["journal.json", "lock"])
    }

    @Test(arguments: ["", "{", "null", "{\"v\":2}", "\u{0}\u{0}\u{0}\u{0}"])
    func aDamagedOneIsKeptAside(text: String) throws {
        try home.write(text, to: "state/journal.json")
        guard case .damaged(let aside, let reason) = file.load(at: 1_234) else {
            Issue.record("not damaged")
            return
        }
        #expect(aside == directory.path + "/journal.json.damaged-1234")
        #expect(!reason.isEmpty)
        #expect(home.read("state/journal.json.damaged-1234") == text)
        guard case .nothing = file.load(at: 0) else {
            Issue.record("still there")
            return
        }
    }

    @Test func oneThatCannotBeReadIsKeptAside() throws {
        mkdir(directory.path + "/journal.json", 0o700)
        guard case .damaged(_, let reason) = file.load(at: 5) else {
            Issue.record("not damaged")
            return
        }
        #expect(reason.contains("journal.json"))
        try file.replace(with: journal(epoch: 1))
        #expect(names == ["journal.json", "journal.json.damaged-5", "lock"])
    }

    @Test func aHugeOneIsKeptAside() throws {
        try home.write(String(repeating: " ", count: 2 << 20), to: "state/journal.json")
        guard case .damaged = file.load(at: 5) else {
            Issue.record("not damaged")
            return
        }
    }

    @Test func whatCannotBeWrittenIsSaidAndLeavesTheOldOne() throws {
        try file.replace(with: journal(epoch: 1))
        // Not even root can write a file where a directory stands.
        mkdir(directory.path + "/journal.json.new", 0o700)
        #expect(throws: FileError.self) { try file.replace(with: journal(epoch: 2)) }
        rmdir(directory.path + "/journal.json.new")
        guard case .journal(let found) = file.load(at: 0) else {
            Issue.record("not a journal")
            return
        }
        #expect(found.epoch == 1)
        try file.replace(with: journal(epoch: 3))
    }
}
