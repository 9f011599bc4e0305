// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.limitedConcurrency) struct TLSTests {
    private func withBroker(
        requireCertificate: Bool = false,
        alternatives: String = "DNS:localhost,IP:127.0.0.1",
        _ body: (Broker, CertificateAuthority) async throws -> Void
    ) async throws {
        let authority = try await CertificateAuthority()
        var options = Broker.Options()
        options.tls = .init(authority, alternatives: alternatives, requireCertificate: requireCertificate)
        try await Broker.withBroker(options) { try await body($0, authority) }
    }

    private func firstError(_ broker: Broker, _ tls: MQTTConfiguration.TLS) async throws -> MQTTError {
        var configuration = MQTTConfiguration(broker.port)
        configuration.tls = tls
        return try await withRecordedClient(configuration) { _, recorder in
            let error = try await recorder.firstError()
            #expect(recorder.connections.isEmpty)
            return error
        }
    }

    @Test func trustedAuthorityIsAccepted() async throws {
        try await withBroker { broker, authority in
            var configuration = MQTTConfiguration(broker.port)
            configuration.host = "localhost"
            configuration.tls = .init(trust: .file(authority.file))
            try await withRecordedClient(configuration) { client, recorder in
                _ = try await recorder.firstConnection()
                try await client.subscribe([Subscription("a")])
                for size in [0, 1, 20_000, 200_000] {
                    try await client.publish([UInt8](repeating: 7, count: size), to: "a")
                }
                for _ in 0..<500 { await client.send(MQTTMessage(topic: "a", payload: [1], qos: .atMostOnce)) }
                try await eventually("all messages") { recorder.messages.count == 504 }
                #expect(recorder.messages[3].payload.count == 200_000)
            }
        }
    }

    @Test func otherAuthoritiesAreRefused() async throws {
        let other = try await CertificateAuthority()
        try await withBroker { broker, _ in
            for trust in [MQTTConfiguration.TLS.Trust.file(other.file), .system] {
                let error = try await firstError(broker, .init(trust: trust))
                #expect(error.code == .tls)
                #expect(error.description.contains("certificate verify failed"))
            }
        }
    }

    @Test func aPinnedAuthorityIsTrustedAtAnyName() async throws {
        let other = try await CertificateAuthority()
        try await withBroker(alternatives: "DNS:elsewhere.example") { broker, authority in
            var configuration = MQTTConfiguration(broker.port)
            configuration.tls = .init(trust: .file(authority.file))
            configuration.tls?.isPinned = true
            try await withRecordedClient(configuration) { _, recorder in
                _ = try await recorder.firstConnection()
            }
            var foreign = MQTTConfiguration.TLS(trust: .file(other.file))
            foreign.isPinned = true
            #expect(try await firstError(broker, foreign).description.contains("certificate verify failed"))
        }
    }

    @Test func certificateForAnotherNameIsRefused() async throws {
        try await withBroker(alternatives: "DNS:elsewhere.example") { broker, authority in
            let error = try await firstError(broker, .init(trust: .file(authority.file)))
            #expect(error.code == .tls)
            #expect(error.description.contains("name"))
        }
    }

    @Test func requiredClientCertificateIsSent() async throws {
        try await withBroker(requireCertificate: true) { broker, authority in
            var bare = MQTTConfiguration(broker.port)
            bare.tls = .init(trust: .file(authority.file))
            try await withRecordedClient(bare) { _, recorder in
                // The broker hangs up right after its alert, which may be lost: then the error only suggests the cause.
                try await eventually("the broker's reason; \(recorder.errors)") {
                    recorder.errors.contains { $0.code == .tls && $0.description.contains("certificate required") }
                }
                #expect(recorder.connections.isEmpty)
                #expect(recorder.errors.allSatisfy { $0.description.contains("certificate") })
            }

            let identity = try await authority.issue("client")
            var configuration = MQTTConfiguration(broker.port)
            configuration.tls = .init(
                trust: .file(authority.file),
                certificateFile: identity.certificate,
                keyFile: identity.key
            )
            try await withRecordedClient(configuration) { client, recorder in
                _ = try await recorder.firstConnection()
                #expect(try await client.publish([], to: "a") == .noSubscribers)
                try await broker.restart()
                try await eventually("a new connection") { recorder.connections.count == 2 }
                #expect(try await client.publish([], to: "a") == .noSubscribers)
            }
        }
    }

    @Test func errorNamesTheMissingFile() async throws {
        try await withBroker { broker, _ in
            let error = try await firstError(broker, .init(trust: .file("/nowhere/ca.crt")))
            #expect(error.code == .tls)
            #expect(error.description.contains("/nowhere/ca.crt"))
        }
    }

    @Test func plainBrokerFailsTheHandshake() async throws {
        let authority = try await CertificateAuthority()
        try await Broker.withBroker { broker in
            let error = try await firstError(broker, .init(trust: .file(authority.file)))
            #expect(error.code == .tls || error.code == .connectionLost)
        }
    }
}
