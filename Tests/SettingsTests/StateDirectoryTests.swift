// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Platform
import Support
import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct StateDirectoryTests {
    private let home: TemporaryDirectory

    init() throws { home = try TemporaryDirectory() }

    @Test func directoryIsCreatedForThisUserOnly() throws {
        let directory = try StateDirectory(home.file("a/b/c"))
        for path in ["a", "a/b", "a/b/c"] { #expect(try Files.mode(of: home.file(path)) == 0o700) }
        #expect(try Files.mode(of: directory.path + "/lock") == 0o600)
    }

    @Test func existingDirectoryKeepsItsMode() throws {
        mkdir(home.file("state"), 0o750)
        chmod(home.file("state"), 0o750)
        _ = try StateDirectory(home.file("state"))
        #expect(try Files.mode(of: home.file("state")) == 0o750)
    }

    @Test func secondHolderIsRefusedUntilTheRelease() throws {
        var first: StateDirectory? = try StateDirectory(home.file("state"))
        #expect(first != nil)
        do throws(StateDirectoryError) {
            _ = try StateDirectory(home.file("state"))
            Issue.record("not refused")
        } catch {
            #expect(error.description.contains(home.file("state")))
            #expect(error.description.contains("process \(getpid())"))
            #expect(error.description.contains("--state-dir"))
        }
        // A process that another thread forks has such a copy until it calls exec.
        let lock = try #require(
            (0..<1_024).first { self.path(of: $0) == home.file("state/lock") }.map { dup(Int32($0)) })
        defer { close(lock) }
        first = nil
        _ = try StateDirectory(home.file("state"))
    }

    private func path(of descriptor: Int) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }

    @Test func deadProcessHoldsNoLock() throws {
        mkdir(home.file("state"), 0o700)
        try home.write("1\n", to: "state/lock")
        _ = try StateDirectory(home.file("state"))
        #expect(home.read("state/lock") == "\(getpid())\n")
    }

    /// The lock of a directory that others can write could be a link to any file of this user.
    @Test(arguments: ["link", "second name", "directory", "pipe"])
    func lockThatLockstepDidNotMakeIsRefusedAndKept(kind: String) throws {
        mkdir(home.file("state"), 0o700)
        let victim = try home.write("precious\n", to: "victim")
        let lock = home.file("state/lock")
        switch kind {
        case "link": #expect(symlink(victim, lock) == 0)
        case "second name": #expect(link(victim, lock) == 0)
        case "directory": #expect(mkdir(lock, 0o700) == 0)
        default: #expect(mkfifo(lock, 0o600) == 0)
        }
        do throws(StateDirectoryError) {
            _ = try StateDirectory(home.file("state"))
            Issue.record("not refused")
        } catch {
            #expect(error.description.contains(lock), "\(error)")
        }
        #expect(home.read("victim") == "precious\n")
    }

    @Test func directoryThatOthersCanWriteIsReportedWithItsFix() throws {
        for (mode, fix) in [(mode_t(0o700), nil), (0o755, nil), (0o770, "chmod go-w"), (0o707, "chmod go-w")] {
            let path = home.file("state-\(mode)")
            mkdir(path, 0o700)
            chmod(path, mode)
            let warning = try StateDirectory(path).warning
            #expect((warning == nil) == (fix == nil), "\(mode)")
            if let fix { #expect(warning?.contains("\(fix) \(path)") == true, "\(warning ?? "")") }
        }
    }

    /// Root may write everywhere, except on a file system that is mounted read-only.
    @Test(SmallDisk.requiresMount, arguments: [false, true])
    func directoryThatCannotBeWrittenIsLocked(wasUsed: Bool) async throws {
        try await SmallDisk.with(size: "64k", in: home) { path in
            if wasUsed { _ = try StateDirectory(path) }
            try SmallDisk.makeReadOnly(path, size: "64k")
            let first = try StateDirectory(path)
            #expect(throws: StateDirectoryError.self) { try StateDirectory(path) }
            withExtendedLifetime(first) {}
        }
    }

    @Test func fileInPlaceOfTheDirectoryIsNamed() throws {
        try home.write("", to: "state")
        #expect(throws: StateDirectoryError.self) { try StateDirectory(home.file("state")) }
        #expect(throws: StateDirectoryError.self) { try StateDirectory(home.file("state/below")) }
    }
}
