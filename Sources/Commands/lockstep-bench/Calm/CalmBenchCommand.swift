// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import Harness
import Mosquitto
import Session
import Setup
import Shell
import Synchronization
import Wire

struct CalmBenchCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "calm",
        abstract: "Measure the cost of a calm service for a thousand spaces, and the samples that it loses.",
        discussion: """
            It runs the lockstep-calm in the folder of this program. Each space has a running session and a microphone that \
            publishes a level per second, above or below the threshold. At the end the feed of every space must agree \
            with all samples.
            """
    )

    @Option(help: "How many spaces.")
    var spaces = 1_000

    @Option(help: "For how long.")
    var seconds = 30

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require((1...4_000).contains(spaces), "--spaces is 1 to 4000")
        // Later the service starts new files, and its lines cannot be counted.
        try require((1...1_000).contains(seconds), "--seconds is 1 to 1000")
    }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            try await Child.with(
                "lockstep-calm",
                [
                    "--broker", "\(broker)", "--space", "+", "--state-dir", directory + "/calm", "--config",
                    "/dev/null", "--log-level", "error",
                ]
            ) { process in try await figures(process, broker, directory) }
        }
    }

    private func figures(_ process: pid_t, _ broker: BrokerAddress, _ directory: String) async throws -> [Figure] {
        try await EventLoop.withEventLoop(name: "microphones") { loop in
            var configuration = MQTTConfiguration(
                host: broker.host, port: broker.port, clientID: "microphones")
            configuration.inFlightLimit = 10_000
            let client = MQTTClient(configuration, on: loop)
            let world = try CalmWorld(spaces: spaces, client: client)
            await client.onEvent { world.handle($0) }
            return try await client.run {
                try await world.subscribe()
                try await world.waitUntilHeard()
                try await world.begin()
                async let speaking: Void = world.speak(seconds: seconds + 5)
                // Until the start is over.
                try await Task.sleep(for: .seconds(3))
                let share = try await ProcessUse.share(of: process, seconds: seconds, saying: "calm")
                try await speaking
                let resident = try ProcessUse.resident(process)
                let heard = try await world.settled(in: directory + "/calm")
                let unlike = world.spacesUnlikeTheirFeed()
                return [
                    Figure("calm of \(spaces) spaces, processor", share, "% of a core", atMost: 25),
                    Figure("calm of \(spaces) spaces, resident memory", resident, "MB"),
                    Figure("calm, samples that were published", Double(world.said.load(ordering: .relaxed)), ""),
                    Figure(
                        "calm, samples lost", Double(world.said.load(ordering: .relaxed) - heard), "", atMost: 0),
                    Figure("calm, spaces whose feed is off by more than a point", Double(unlike), "", atMost: 0),
                ]
            }
        }
    }
}

/// Many spaces, each with a session and a microphone.
private final class CalmWorld: Sendable {
    private struct Space {
        var codec: WireCodec
        /// The number of levels below the threshold, and of all levels.
        var quiet = 0
        var all = 0
        var feed: CalmFeed?
    }

    /// The space that shows that the service is ready.
    private static let first = "first"

    let said = Atomic<Int>(0)
    private let hasFeed = Atomic<Bool>(false)
    private let client: MQTTClient
    private let spaces: Mutex<[Space]>
    private let start = Clocks.now()

    init(spaces: Int, client: MQTTClient) throws {
        self.client = client
        let made = try (0..<spaces).map { index in
            guard let space = SpaceID("room-\(index)"), let node = NodeID("desk") else { throw Failed("no space") }
            return Space(codec: WireCodec(space: space, me: node))
        }
        self.spaces = Mutex(made)
    }

    func handle(_ event: MQTTEvent) {
        guard case .message(let message) = event, let space = Topics.space(of: message.topic) else { return }
        if space.rawValue == Self.first { hasFeed.store(true, ordering: .relaxed) }
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
        try await eventually("a connection to the broker") { await client.connection != nil }
        try await client.subscribe([Subscription("lockstep/1/+/feed/calm", qos: .atMostOnce)])
    }

    /// Publishes levels in one space until the service publishes its feed; then it is subscribed to all spaces.
    func waitUntilHeard() async throws {
        guard let space = SpaceID(Self.first), let node = NodeID("desk") else { throw Failed("no space") }
        let codec = WireCodec(space: space, me: node)
        try await begin(codec)
        for _ in 0..<600 {
            if hasFeed.load(ordering: .relaxed) { return }
            let level = codec.encode(SoundLevel(level: 300))
            try await client.publish(level.payload, to: level.topic)
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Failed("lockstep-calm publishes nothing")
    }

    /// Starts a session in each space.
    func begin() async throws {
        for codec in spaces.withLock({ $0.map(\.codec) }) { try await begin(codec) }
    }

    private func begin(_ codec: WireCodec) async throws {
        guard let boot = Clocks.bootID() else { throw Failed("no boot id") }
        let now = Clocks.now()
        guard let id = SessionID("s-\(codec.topics.space)") else { throw Failed("no session") }
        let register = Register(
            id: id, lineage: id, stamp: Stamp(time: now.told, counter: 0, node: codec.me), epoch: 1, rev: 1,
            owner: codec.me, title: "", icon: nil, label: nil, mode: .countdown,
            plan: [Phase(kind: .focus, seconds: 3_600)], autoAdvance: false, phase: 0, status: .running,
            startedAt: now.told, anchor: Anchor(elapsed: 0, at: now.told, bootID: boot, boot: now.boot),
            runs: [Run(phase: 0, from: now.told)])
        let outgoing = codec.encode(.register(register))
        try await client.publish(outgoing.payload, to: outgoing.topic, retain: true)
    }

    /// Publishes a level per second for each microphone, spread over the second.
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
                        let level = SoundLevel(level: isQuiet ? 300 : 600, sent: Clocks.boot(), bootID: boot)
                        return spaces[index].codec.encode(level)
                    }
                }
                said.add(messages.count, ordering: .relaxed)
                client.assumeIsolatedLater { client in
                    for message in messages {
                        client.send(MQTTMessage(topic: message.topic, payload: message.payload, qos: .atMostOnce))
                    }
                }
            }
        }
    }

    /// Returns the number of spaces whose feed is missing, covers too little, or differs from the published levels.
    ///
    /// A difference of one point and the effect of one sample is allowed.
    func spacesUnlikeTheirFeed() -> Int {
        spaces.withLock { spaces in
            spaces.count { space in
                guard let feed = space.feed else { return true }
                let percent = 100 * Double(space.quiet) / Double(space.all)
                return abs(Double(feed.percent) - percent) > 1 + 300 / Double(space.all) || feed.coverage < 80
            }
        }
    }

    /// Returns the samples in the service's files, once all are there or no more arrive.
    func settled(in directory: String) async throws -> Int {
        for _ in 0..<100 {
            try await Task.sleep(for: .milliseconds(200))
            if Self.heard(in: directory) == said.load(ordering: .relaxed), spacesUnlikeTheirFeed() == 0 { break }
        }
        return Self.heard(in: directory)
    }

    private static func heard(in directory: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".room") && $0 != "\(first).room" }.reduce(0) { sum, name in
            let text = (try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)) ?? ""
            return sum + text.split(separator: "\n").count { $0.hasPrefix("s ") }
        }
    }
}

extension MQTTClient {
    /// Runs `body` on the loop, in order; from any thread.
    fileprivate nonisolated func assumeIsolatedLater(_ body: @escaping @Sendable (isolated MQTTClient) -> Void) {
        loop.execute { self.assumeIsolated { body($0) } }
    }
}
