// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Platform
import Support
import Testing

@testable import Joining
@testable import Settings

@Suite(.limitedConcurrency) struct PrivateBrokerTests {
    @Test func brokerServesWhileNeededAndKeepsItsPort() async throws {
        let home = try TemporaryDirectory()
        // A port of this test's own: another program may get a port of the system as soon as it is free.
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
        // A process that another test forks now inherits the lock until it calls exec.
        try await eventually("its directory is free") {
            (try? PrivateBroker(directory: home.file("broker")))?.port == port
        }
        #expect(try Files.mode(of: home.file("broker")) == 0o700)
        #expect(try Files.mode(of: home.file("broker/mosquitto.conf")) == 0o600)
    }

    @Test func secondBrokerOnADirectoryIsRefused() async throws {
        let home = try TemporaryDirectory()
        let first = try PrivateBroker(directory: home.file("broker"))
        #expect(throws: ValueError.self) { try PrivateBroker(directory: home.file("broker")) }
        #expect(first.port > 0)
    }

    @Test func takenPortIsNamed() throws {
        let home = try TemporaryDirectory()
        let port = Port.free()
        let listener = try Port.listen(port)
        defer { close(listener) }
        do throws(ValueError) {
            _ = try PrivateBroker(directory: home.file("broker"), port: port)
            Issue.record("not refused")
        } catch {
            #expect(error.description.contains("\(port)"))
            #expect(error.description.contains("--port"))
        }
    }
}
