// SPDX-License-Identifier: Apache-2.0

import Core
import Logging
import Mosquitto
import Runtime
import Session
import Settings
import Support
import Testing
import Wire

@testable import Calm

/// The watch of a space, with a broker that echoes all messages.
@Suite(.timeLimit(.minutes(15))) struct CalmSpaceTests {
    /// The service's end of a watch, on the service's thread.
    private actor Service {
        private nonisolated let loop: EventLoop
        private var watch: CalmSpace?
        private(set) var feeds: [CalmFeed] = []
        private var outgoing: [Outgoing] = []
        private let space: SpaceID

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(_ space: SpaceID, loop: EventLoop) {
            self.loop = loop
            self.space = space
        }

        func open(in directory: StateDirectory) throws {
            let settings = try CalmSettings(SettingValues(), for: .service, environment: ["HOME": "/home/ada"])
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let files = CalmStateFiles(directory: directory, bootID: try #require(Clocks.bootID()), log: log)
            let watch = CalmSpace(
                space: space, settings: settings, files: files, loop: loop,
                output: ServiceOutput(log: log, makeWay: { _ in }) { [weak self] outgoing, _ in
                    self?.assumeIsolated { $0.outgoing.append(outgoing) }
                })
            self.watch = watch
            watch.handle(.restored(NodeCore.Restored()))
        }

        /// Connects; the broker echoes all messages of the watch, its barrier last.
        func connect(_ id: String) throws {
            watch?.handle(.connected(try #require(ConnectionID(id)), hearsItself: true))
            echo()
        }

        func receive(_ message: Outgoing) {
            _ = watch?.core.receive(MQTTMessage(message))
            echo()
        }

        func add(_ level: SoundLevel, from node: NodeID, at now: BootTime) { watch?.add(level, from: node, at: now) }

        func update(at boot: BootTime) {
            watch?.update(at: boot)
            echo()
        }

        func close() { watch?.save() }

        var needsTick: Bool { watch?.needsTick ?? false }

        private func echo() {
            while !outgoing.isEmpty {
                let message = outgoing.removeFirst()
                for case .feed(.calm(let feed?)) in watch?.core.receive(MQTTMessage(message)) ?? [] {
                    feeds.append(feed)
                }
            }
        }
    }

    private let space = SpaceID.home
    private let desk = NodeID.desk
    private let folder: TemporaryDirectory
    private let directory: StateDirectory

    init() throws {
        folder = try TemporaryDirectory()
        directory = try StateDirectory(folder.file("state"))
    }

    /// A session of the desk that has run for a minute.
    private func session(at now: Instant) -> Outgoing {
        let start = now.told - .minutes(1)
        var register = makeRegister(elapsed: 60_000)
        (register.stamp.time, register.startedAt, register.runs[0].from) = (start, start, start)
        register.anchor.at = now.told
        return WireCodec(space: space, me: desk).encode(.register(register))
    }

    private func withService(_ body: (Service) async throws -> Void) async throws {
        try await EventLoop.withEventLoop { loop in
            let service = Service(space, loop: loop)
            try await service.open(in: directory)
            try await body(service)
            await service.close()
        }
    }

    @Test func runningSessionIsPublishedWithItsCalm() async throws {
        try await withService { service in
            try await service.connect("c-1")
            let now = Clocks.now()
            await service.receive(session(at: now))
            #expect(await service.feeds.isEmpty, "there is no sample yet")
            #expect(await service.needsTick)
            for (second, level) in [300, 600, 300, 300].enumerated() {
                await service.add(
                    SoundLevel(level: level), from: desk, at: now.boot - 10_000 + .seconds(Int64(second)))
            }
            // The last level is valid for two seconds.
            await service.update(at: now.boot + 2_000)
            let feed = try #require(await service.feeds.last)
            #expect(feed.session.rawValue == "S1")
            #expect(feed.percent == 80, "four seconds of five")
        }
    }

    @Test func feedIsPublishedOnceForEachConnection() async throws {
        try await withService { service in
            try await service.connect("c-1")
            let now = Clocks.now()
            await service.receive(session(at: now))
            await service.add(SoundLevel(level: 300), from: desk, at: now.boot - 5_000)
            await service.update(at: now.boot + 2_000)
            #expect(await service.feeds.count == 1)
            await service.update(at: now.boot + 2_500)
            #expect(await service.feeds.count == 1, "at most one a second")
            try await service.connect("c-2")
            await service.update(at: now.boot + 4_000)
            #expect(await service.feeds.count == 2, "the broker may have lost it")
        }
    }
}
