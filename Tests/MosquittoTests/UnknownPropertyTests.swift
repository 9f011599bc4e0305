// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Testing

/// A false server sends a property that MQTT does not have. The library before 2.1 then meets an assertion.
@Suite(.limitedConcurrency) struct UnknownPropertyTests {
    /// A CONNACK, and a PUBLISH with the property 0x7D.
    private static let answer: [UInt8] = [0x20, 3, 0, 0, 0, 0x30, 6, 0, 1, 0x61, 0xE8, 0x7B, 0x7D]

    @Test(
        arguments: [
            // CONNACK
            [0x20, 4, 0, 0, 1, 0x7D],
            // PUBLISH with the qualities of service 0 to 2
            [0x30, 6, 0, 1, 0x61, 0xE8, 0x7B, 0x7D],
            [0x32, 7, 0, 1, 0x61, 0, 1, 1, 0x7D],
            [0x34, 7, 0, 1, 0x61, 0, 1, 1, 0x7D],
            // A known property before the unknown one
            [0x30, 12, 0, 1, 0x61, 8, 0x26, 0, 1, 0x62, 0, 1, 0x63, 0x7D],
            // PUBACK, PUBREC, PUBREL, PUBCOMP, SUBACK, UNSUBACK, DISCONNECT, AUTH
            [0x40, 5, 0, 1, 0, 1, 0x7D],
            [0x50, 5, 0, 1, 0, 1, 0x7D],
            [0x62, 5, 0, 1, 0, 1, 0x7D],
            [0x70, 5, 0, 1, 0, 1, 0x7D],
            [0x90, 5, 0, 1, 1, 0x7D, 0],
            [0xB0, 5, 0, 1, 1, 0x7D, 0],
            [0xE0, 3, 0, 1, 0x7D],
            [0xF0, 3, 0, 1, 0x7D],
        ] as [[UInt8]]
    )
    func unknownPropertyEndsTheConnectionAndNotTheProcess(_ packet: [UInt8]) async throws {
        let broker = try FakeBroker { _ in packet[0] == 0x20 ? packet : [0x20, 3, 0, 0, 0] + packet }
        defer { broker.stop() }
        var configuration = MQTTConfiguration(broker.port)
        configuration.version = .v5
        try await withRecordedClient(configuration) { _, recorder in
            // The second shows that the client has connected again.
            try await eventually("two failures") { recorder.errors.count >= 2 }
            #expect(recorder.errors.allSatisfy { $0.code == .protocolViolation }, "\(recorder.errors)")
            #expect(recorder.errors.allSatisfy { $0.description.contains("violated the protocol") })
        }
    }

    @Test func unknownPropertyEndsAnEncryptedConnectionAndNotTheProcess() async throws {
        let authority = try await CertificateAuthority()
        let identity = try await authority.issue("server")
        let port = Port.free()
        let directory = try TemporaryDirectory()
        let input = directory.file("input")
        mkfifo(input, 0o600)
        // It sends its input, here the whole answer, as soon as a client is connected.
        let server = try Spawn.start(
            [
                "/bin/sh", "-c", #"exec "$@" <>"$0""#, input, try Spawn.find("openssl"), "s_server", "-quiet",
                "-accept", "127.0.0.1:\(port)", "-cert", identity.certificate, "-key", identity.key,
            ],
            output: directory.file("server.log"))
        defer { Spawn.end(server) }
        let writer = open(input, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        #expect(write(writer, Self.answer, Self.answer.count) == Self.answer.count)
        var configuration = MQTTConfiguration(port)
        configuration.version = .v5
        configuration.tls = .init(trust: .file(authority.file))
        try await withRecordedClient(configuration) { _, recorder in
            try await eventually("the answer was read; \(recorder.errors); \(directory.read("server.log"))") {
                recorder.errors.contains { $0.code == .protocolViolation }
            }
            #expect(recorder.connections.count == 1)
        }
    }
}
