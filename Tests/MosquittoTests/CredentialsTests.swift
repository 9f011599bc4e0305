// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.limitedConcurrency) struct CredentialsTests {
    @Test(arguments: [MQTTConfiguration.VersionPreference.automatic, .v311], ["ann", "nobody"])
    func wrongPasswordOrUserIsRefused(_ version: MQTTConfiguration.VersionPreference, _ user: String) async throws {
        var options = Broker.Options()
        options.users = ["ann": "secret"]
        try await Broker.withBroker(options) { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.version = version
            configuration.credentials = .init(user: user, password: "wrong")
            try await withRecordedClient(configuration) { _, recorder in
                let error = try await recorder.firstError()
                #expect(error.code == .badCredentials)
                #expect(error.reason == (version == .v311 ? 5 : 135))
                #expect(error.description.lowercased().contains("not authori"))
                // A person must fix that, so the back-off begins with the longest wait.
                #expect(recorder.waits[0] >= 100)
                try await eventually("another attempt") { recorder.errors.count >= 2 }
                #expect(recorder.connections.isEmpty)
            }
        }
    }

    @Test func giveUpEndsTheClient() async throws {
        var options = Broker.Options()
        options.users = ["ann": "secret"]
        try await Broker.withBroker(options) { broker in
            try await EventLoop.withEventLoop { loop in
                var configuration = MQTTConfiguration(broker.port)
                configuration.giveUp = { $0.code == .badCredentials }
                let client = MQTTClient(configuration, on: loop)
                let recorder = Recorder()
                await client.onEvent { recorder.record($0) }
                let error = await #expect(throws: MQTTError.self) { try await client.run() }
                #expect(error?.code == .badCredentials)
                #expect(recorder.events.count == 1)
                let again = await #expect(throws: MQTTError.self) { try await client.run() }
                #expect(again?.code == .alreadyRunning)
            }
        }
    }

    @Test func invalidConfigurationIsReported() async throws {
        try await EventLoop.withEventLoop { loop in
            for change: @Sendable (inout MQTTConfiguration) -> Void in [
                { $0.keepAliveSeconds = 4 }, { $0.port = 0 }, { $0.host = "" }, { $0.inFlightLimit = 0 },
                { $0.backoff.maximumMilliseconds = 1 }, { $0.tls = .init(certificateFile: "x") },
                { $0.credentials = .init(user: "a\0b", password: nil) },
            ] {
                var configuration = MQTTConfiguration(1883)
                change(&configuration)
                let client = MQTTClient(configuration, on: loop)
                let error = await #expect(throws: MQTTError.self) { try await client.run() }
                #expect(error?.code == .invalidConfiguration)
                await client.close()
            }
        }
    }
}
