// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.takingTurns) struct CredentialsTests {
    @Test(arguments: [Configuration.VersionPreference.automatic, .v311], ["ann", "nobody"])
    func aWrongPasswordOrUserIsRefused(_ version: Configuration.VersionPreference, _ user: String) async throws {
        var options = Broker.Options()
        options.users = ["ann": "secret"]
        try await Broker.withBroker(options) { broker in
            var configuration = Configuration(broker.port)
            configuration.version = version
            configuration.credentials = .init(user: user, password: "wrong")
            try await withRecordedClient(configuration) { _, recorder in
                let error = try await recorder.firstError()
                #expect(error.code == .badCredentials)
                #expect(error.reason == (version == .v311 ? 5 : 135))
                #expect(error.description.lowercased().contains("not authori"))
                // It takes a person to change that: the longest wait from the start.
                #expect(recorder.waits[0] >= 100)
                try await eventually("another attempt") { recorder.errors.count >= 2 }
                #expect(recorder.connections.isEmpty)
            }
        }
    }

    @Test func theCallerMayGiveUp() async throws {
        var options = Broker.Options()
        options.users = ["ann": "secret"]
        try await Broker.withBroker(options) { broker in
            try await EventLoop.withEventLoop { loop in
                var configuration = Configuration(broker.port)
                configuration.giveUp = { $0.code == .badCredentials }
                let client = MQTTClient(configuration, on: loop)
                let error = await #expect(throws: MQTTError.self) { try await client.run() }
                #expect(error?.code == .badCredentials)
                var events: [Event] = []
                for await event in client.events { events.append(event) }
                #expect(events.count == 1)
                let again = await #expect(throws: MQTTError.self) { try await client.run() }
                #expect(again?.code == .alreadyRunning)
            }
        }
    }

    @Test func aWrongConfigurationIsSaid() async throws {
        try await EventLoop.withEventLoop { loop in
            for change: @Sendable (inout Configuration) -> Void in [
                { $0.keepAliveSeconds = 4 }, { $0.port = 0 }, { $0.host = "" }, { $0.inFlightLimit = 0 },
                { $0.backoff.maximumMilliseconds = 1 }, { $0.tls = .init(certificateFile: "x") },
                { $0.credentials = .init(user: "a\0b", password: nil) },
            ] {
                var configuration = Configuration(1883)
                change(&configuration)
                let client = MQTTClient(configuration, on: loop)
                let error = await #expect(throws: MQTTError.self) { try await client.run() }
                #expect(error?.code == .invalidConfiguration)
                await client.close()
            }
        }
    }
}
