// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Mosquitto
import Session
import Shell
import Synchronization
import Wire

struct CalmBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calm",
        abstract: "What a calm service costs that hears a thousand spaces, and whether it hears all.",
        discussion: """
            It runs the lockstep-calm that stands beside this program. Each space has a running session and a microphone that \
            says a level a second, on one side of the threshold or the other. At the end every space's feed must say what \
            was heard, sample for sample, and that all of the time was heard.
            """
    )

    @Option(help: "How many spaces.")
    var spaces = 1_000

    @Option(help: "For how long.")
    var seconds = 30

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...4_000).contains(spaces) else { throw ValidationError("--spaces is 1 to 4000") }
        // Beyond that the service begins new files, and its lines cannot be counted.
        guard (1...1_000).contains(seconds) else { throw ValidationError("--seconds is 1 to 1000") }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }

    func measure() async throws -> [Figure] {
        try await Workplace.withBroker { broker, directory in
            let process = try Child.start(
                "lockstep-calm",
                [
                    "--broker", "\(broker)", "--space", "+", "--state-dir", directory + "/calm", "--config",
                    "/dev/null",
                    "--log-level", "error",
                ])
            do {
                let figures = try await figures(process, broker, directory)
                await Child.end(process)
                return figures
            } catch {
                await Child.end(process)
                throw error
            }
        }
    }

    private func figures(_ process: pid_t, _ broker: BrokerAddress, _ directory: String) async throws -> [Figure] {
        try await EventLoop.withEventLoop(name: "microphones") { loop in
            var configuration = Mosquitto.Configuration(
                host: broker.host, port: broker.port, clientID: "microphones")
            configuration.inFlightLimit = 10_000
            return try await MQTTClient.withClient(configuration, on: loop) { client in
                let world = try CalmWorld(spaces: spaces, client: client)
                await client.onEvent { world.take($0) }
                try await world.subscribe()
                try await world.waitUntilHeard()
                try await world.begin()
                async let speaking: Void = world.speak(seconds: seconds + 5)
                // What belongs to the start is over by then.
                try await Task.sleep(for: .seconds(3))
                let share = try await ProcessUse.share(of: process, seconds: seconds, saying: "calm")
                try await speaking
                let resident = try ProcessUse.resident(process)
                let heard = try await world.settled(in: directory + "/calm")
                let unlike = world.spacesUnlikeTheirFeed()
                return [
                    Figure("calm of \(spaces) spaces, processor", share, "% of a core", atMost: 25),
                    Figure("calm of \(spaces) spaces, resident memory", resident, "MB"),
                    Figure("calm, samples that were said", Double(world.said.load(ordering: .relaxed)), ""),
                    Figure(
                        "calm, samples lost", Double(world.said.load(ordering: .relaxed) - heard), "", atMost: 0),
                    Figure("calm, spaces whose feed is off by more than a point", Double(unlike), "", atMost: 0),
                ]
            }
        }
    }
}

/// Many spaces, each with a session of its own making and a microphone.
private final class CalmWorld: Sendable {
    private struct Space {
        var codec: WireCodec
        /// Levels said that were below the threshold, and all.
        var quiet = 0
        var all = 0
        var feed: CalmFeed?
    }

    /// The space in which the service is waited for.
    private static let first = "first"

    let said = Atomic<Int>(0)
    private let isHeard = Atomic<Bool>(false)
    private let client: MQTTClient
    private let spaces: Mutex<[Space]>
    private let start = Clocks.now()

    init(spaces: Int, client: MQTTClient) throws {
        self.client = client
        let made = try (0..<spaces).map { index in
            guard let space = SpaceID("room-\(index)"), let node = NodeID("desk") else { throw BenchError("no space") }
            return Space(codec: WireCodec(space: space, me: node))
        }
        self.spaces = Mutex(made)
    }

    func take(_ event: Event) {
        guard case .message(let message) = event, let space = Topics.space(of: message.topic) else { return }
        if space.rawValue == Self.first { isHeard.store(true, ordering: .relaxed) }
        guard space.rawValue.hasPrefix("room-"), let index = Int(space.rawValue.dropFirst(5))
        else { return }
        spaces.withLock { spaces in
            guard spaces.indices.contains(index) else { return }
            let read = spaces[index].codec.decode(
                topic: message.topic, payload: message.payload, retained: message.retain, now: 0)
            if case .feed(.calm(let calm)) = read { spaces[index].feed = calm }
        }
    }

    func subscribe() async throws {
        var patience = 6_000
        while await client.connection == nil {
            try await Task.sleep(for: .milliseconds(10))
            patience -= 1
            if patience == 0 { throw BenchError("no connection to the broker") }
        }
        try await client.subscribe([Subscription("lockstep/1/+/feed/calm", qos: .atMostOnce)])
    }

    /// Says something in a space of its own until the service has told of it: then it hears all.
    func waitUntilHeard() async throws {
        guard let space = SpaceID(Self.first), let node = NodeID("desk") else { throw BenchError("no space") }
        let codec = WireCodec(space: space, me: node)
        try await begin(codec)
        for _ in 0..<600 {
            if isHeard.load(ordering: .relaxed) { return }
            let level = codec.encode(SoundLevel(level: 300))
            try await client.publish(level.payload, to: level.topic)
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BenchError("lockstep-calm says nothing")
    }

    /// A session in each space, which has run since just now.
    func begin() async throws {
        for codec in spaces.withLock({ $0.map(\.codec) }) { try await begin(codec) }
    }

    private func begin(_ codec: WireCodec) async throws {
        guard let boot = Clocks.bootID() else { throw BenchError("no boot id") }
        let now = Clocks.now()
        guard let id = SessionID("s-\(codec.topics.space)") else { throw BenchError("no session") }
        let register = Register(
            id: id, lineage: id, stamp: Stamp(time: now.wall, counter: 0, node: codec.me), epoch: 1, rev: 1,
            owner: codec.me, title: "", icon: nil, label: nil, mode: .countdown,
            plan: [Phase(kind: .focus, seconds: 3_600)], autoAdvance: false, phase: 0, status: .running,
            startedAt: now.wall, anchor: Anchor(elapsed: 0, at: now.wall, bootID: boot, boot: now.boot),
            runs: [Run(phase: 0, from: now.wall)])
        let outgoing = codec.encode(.register(register))
        try await client.publish(outgoing.payload, to: outgoing.topic, retain: true)
    }

    /// A level a second from each microphone, spread over the second.
    func speak(seconds: Int) async throws {
        let boot = Clocks.bootID()
        let (clock, began) = (ContinuousClock(), ContinuousClock().now)
        let count = spaces.withLock { $0.count }
        var random = SystemRandomNumberGenerator()
        for second in 0..<seconds {
            for slot in 0..<100 {
                try await clock.sleep(until: began + .milliseconds(1_000 * second + 10 * slot))
                let messages = spaces.withLock { spaces in
                    stride(from: slot, to: count, by: 100).map { index in
                        let isQuiet = Int.random(in: 0..<10, using: &random) > index % 10
                        spaces[index].all += 1
                        if isQuiet { spaces[index].quiet += 1 }
                        let level = SoundLevel(level: isQuiet ? 300 : 600, sent: Clocks.now().boot, bootID: boot)
                        return spaces[index].codec.encode(level)
                    }
                }
                said.add(messages.count, ordering: .relaxed)
                client.assumeIsolatedLater { client in
                    for message in messages {
                        client.send(Message(topic: message.topic, payload: message.payload, qos: .atMostOnce))
                    }
                }
            }
        }
    }

    /// How many feeds do not say what was said: by more than a point and what one more sample makes.
    func spacesUnlikeTheirFeed() -> Int {
        spaces.withLock { spaces in
            spaces.count { space in
                guard let feed = space.feed else { return true }
                let percent = 100 * Double(space.quiet) / Double(space.all)
                return abs(Double(feed.percent) - percent) > 1 + 300 / Double(space.all) || feed.coverage < 80
            }
        }
    }

    /// The samples that the service has written down, once all of them are or no more come.
    func settled(in directory: String) async throws -> Int {
        for _ in 0..<100 {
            try await Task.sleep(for: .milliseconds(200))
            if Self.heard(in: directory) == said.load(ordering: .relaxed), spacesUnlikeTheirFeed() == 0 { break }
        }
        return Self.heard(in: directory)
    }

    private static func heard(in directory: String) -> Int {
        guard let entries = opendir(directory) else { return 0 }
        defer { closedir(entries) }
        var lines = 0
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.hasSuffix(".room"), name != "\(first).room", let file = fopen("\(directory)/\(name)", "r") else {
                continue
            }
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 1 << 20)
            while fgets(&buffer, Int32(buffer.count), file) != nil {
                if buffer[0] == CChar(UInt8(ascii: "s")), buffer[1] == 32 { lines += 1 }
            }
        }
        return lines
    }
}

extension MQTTClient {
    /// From any thread, in order.
    fileprivate nonisolated func assumeIsolatedLater(_ body: @escaping @Sendable (isolated MQTTClient) -> Void) {
        loop.execute { self.assumeIsolated { body($0) } }
    }
}
