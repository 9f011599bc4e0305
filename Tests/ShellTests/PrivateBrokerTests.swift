// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

@testable import Shell

@Suite(.takingTurns) struct PrivateBrokerTests {
    @Test func itServesWhileItIsNeededAndKeepsItsPort() async throws {
        let home = try TemporaryDirectory()
        // One that no other test is given: a port that the system chooses may be somebody else's as soon as it is free.
        let port = Port.free()
        do {
            let broker = try PrivateBroker(directory: home.file("broker"), port: port)
            let address = try await broker.run { address in
                #expect(Port.answers(address.port))
                return address
            }
            #expect(address.port == port)
            #expect(address.host == "127.0.0.1")
        }
        try await eventually("it is gone") { !Port.answers(port) }
        // A program that another test starts at this moment holds the lock too, until it has become that program.
        try await eventually("its directory is free") {
            (try? PrivateBroker(directory: home.file("broker")))?.port == port
        }
        #expect(try Files.mode(of: home.file("broker")) == 0o700)
        #expect(try Files.mode(of: home.file("broker/mosquitto.conf")) == 0o600)
    }

    @Test func twoOnOneDirectoryAreRefused() async throws {
        let home = try TemporaryDirectory()
        let first = try PrivateBroker(directory: home.file("broker"))
        #expect(throws: PrivateBrokerError.self) { try PrivateBroker(directory: home.file("broker")) }
        #expect(first.port > 0)
    }

    @Test func itDoesNotInterruptWhoWritesToIt() async throws {
        let home = try TemporaryDirectory()
        let configuration = home.file("broker/mosquitto.conf")
        try await PrivateBroker(directory: home.file("broker")).run { _ in
            let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
            let process = try #require(
                processes.first { process in
                    let command = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
                    return command?.contains(configuration) == true
                })
            // SCHED_BATCH
            #expect(sched_getscheduler(process) == 3)
        }
    }

    @Test func aPortThatIsTakenIsNamed() throws {
        let home = try TemporaryDirectory()
        let port = Port.free()
        let listener = try Port.listen(port)
        defer { close(listener) }
        do throws(PrivateBrokerError) {
            _ = try PrivateBroker(directory: home.file("broker"), port: port)
            Issue.record("not refused")
        } catch {
            #expect(error.description.contains("\(port)"))
            #expect(error.description.contains("--port"))
        }
    }
}
