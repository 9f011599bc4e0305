// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Support
import Testing

@testable import Setup

@Suite(.timeLimit(.minutes(5))) struct StateDirectoryTests {
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

    @Test func secondHolderIsRefusedUntilTheRelease() async throws {
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
        first = nil
        // A process that another test forks now inherits the lock until it calls exec.
        try await eventually("it is free") { (try? StateDirectory(home.file("state"))) != nil }
    }

    @Test func deadProcessHoldsNoLock() throws {
        mkdir(home.file("state"), 0o700)
        try home.write("1\n", to: "state/lock")
        _ = try StateDirectory(home.file("state"))
        #expect(home.read("state/lock") == "\(getpid())\n")
    }

    @Test func fileInPlaceOfTheDirectoryIsNamed() throws {
        try home.write("", to: "state")
        #expect(throws: StateDirectoryError.self) { try StateDirectory(home.file("state")) }
        #expect(throws: StateDirectoryError.self) { try StateDirectory(home.file("state/below")) }
    }
}
