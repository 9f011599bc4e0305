// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Runtime
import Session
import Settings
import Support
import Synchronization
import Testing

@testable import Calm

/// The service in this process, on a real broker.
@Suite(.timeLimit(.minutes(15))) struct CalmServiceTests {
    @Test func theServiceAnnouncesItselfAndSaysGoodbye() async throws {
        let folder = try TemporaryDirectory()
        let directory = try StateDirectory(folder.path)
        let settings = try CalmSettings(SettingValues(), part: .service, environment: ["HOME": "/home/ada"])
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let files = RoomFiles(directory: directory, bootID: try #require(Clocks.bootID()), log: log)
        try await Broker.withBroker { broker in
            try await EventLoop.withEventLoop { loop in
                let service = CalmService(settings: settings, files: files, loop: loop, log: log)
                async let run: Void = service.run(
                    MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "calm"))
                let presence = Mutex("")
                let listener = MQTTConfiguration(host: "127.0.0.1", port: broker.port, clientID: "listener")
                let client = MQTTClient(listener, on: loop)
                await client.onEvent { event in
                    switch event {
                    case .connected:
                        client.assumeIsolated {
                            $0.subscribe([Subscription("lockstep/1/home/node/calm/presence")], completion: nil)
                        }
                    case .message(let message):
                        presence.withLock { $0 = String(decoding: message.payload, as: UTF8.self) }
                    case .disconnected: break
                    }
                }
                async let listening: Void = client.run()
                try await eventually("it is online") { presence.withLock { $0.contains(#""online":true"#) } }
                await service.goOffline()
                try await run
                try await eventually("it is offline") { presence.withLock { $0.contains(#""online":false"#) } }
                await client.close()
                try await listening
            }
        }
    }
}
