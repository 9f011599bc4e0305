// SPDX-License-Identifier: Apache-2.0

import Calm
import Commands
import Logging
import Mosquitto
import Session
import Shell
import Wire

/// The calm service: one connection, on whose thread it lives, and an engine for each space.
///
/// The engine is that of a node, since it is the engine that knows which session is current, where it stands on this
/// machine's clock, and who continues whom.
actor CalmService {
    /// Spaces of a broker that are served.
    private static let spacesLimit = 4_096
    /// How often what was heard is added up while a session runs, in milliseconds: no feed comes more often.
    static let pace: Int64 = 1_000

    nonisolated let loop: EventLoop
    let settings: CalmSettings
    let log: Logger
    private let files: RoomFiles
    private let bootID: BootID
    private var watches: [SpaceID: SpaceWatch] = [:]
    private var client: MQTTClient?
    private var connection: ConnectionID?
    private var tick: LoopTimer?
    private var isTicking = false
    private var lastProblem: String?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(settings: CalmSettings, files: RoomFiles, bootID: BootID, loop: EventLoop, log: Logger) {
        self.settings = settings
        self.files = files
        self.bootID = bootID
        self.loop = loop
        self.log = log
    }

    /// Serves until ``goOffline()``.
    func run(_ configuration: Mosquitto.Configuration) async throws {
        var configuration = configuration
        tick = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.everySecond() } }
        if !settings.isEverySpace {
            _ = watch(settings.node.space)
            configuration.makeWill = { [weak self] _ in self?.assumeIsolated { $0.will() } }
        }
        let client = MQTTClient(configuration, on: loop)
        self.client = client
        await client.onEvent { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
        try await client.run()
    }

    /// Says goodbye, and lets go of the connection.
    func goOffline() async {
        for watch in watches.values { watch.save() }
        guard let client else { return }
        if let connection, !settings.isEverySpace, let watch = watches[settings.node.space] {
            await client.send(watch.engine.will(connection))
        }
        connection = nil
        await client.close(deadlineMilliseconds: 500)
    }

    private func will() -> Mosquitto.Message? {
        let id = Self.newConnection()
        connection = id
        return watches[settings.node.space]?.engine.will(id)
    }

    private static func newConnection() -> ConnectionID {
        let id = ConnectionID("calm-" + String(UInt64.random(in: 0 ... .max), radix: 36))
        return id ?? { preconditionFailure("a word and thirteen digits of base 36 are an id") }()
    }

    // MARK: Events

    private func handle(_ event: Event) {
        switch event {
        case .connected: connected()
        case .message(let message): receive(message)
        case .disconnected(let error, _):
            connection = nil
            for watch in watches.values { watch.feed(.linkDown) }
            say(problem: "no connection to the broker: \(error.description)")
        case .overflow: break  // A handler takes every message as it comes.
        }
    }

    private func connected() {
        lastProblem = nil
        connection = connection ?? Self.newConnection()
        var filters =
            settings.isEverySpace
            ? Topics.everySpace(for: settings.node.node)
            : Topics(space: settings.node.space).calmSubscriptions(for: settings.node.node)
        if let sensor = settings.sensor { filters.append(sensor.filter) }
        let subscriptions = filters.map { Subscription($0, qos: .atMostOnce) }
        // Said when it hears: what anybody publishes before that is lost.
        client?.assumeIsolated { client in
            client.subscribe(subscriptions) { [log] result in
                if case .success = result { log.info("connected to the broker") }
            }
        }
        // Behind the subscriptions, so that the barriers that are now raised come behind what was retained.
        if let connection { for watch in watches.values { watch.feed(.linkUp(connection)) } }
    }

    private func receive(_ message: Mosquitto.Message) {
        guard let space = Topics.space(of: message.topic) else { return hearSensor(message) }
        guard let watch = watch(space) else { return }
        let now = Clocks.now()
        switch watch.engine.decode(message, at: now) {
        case .sound(let level, let node): watch.hear(level, from: node, at: now.boot)
        case .message(let content, let sender):
            watch.feed(.received(content, from: sender, retained: message.retain))
        case .barrier(let id): watch.feed(.barrierPassed(id))
        case .erased(let sender): watch.feed(.erased(from: sender))
        case .discard(let reason, let sender): watch.feed(.discarded(reason, from: sender))
        case .feed, .record, .ledgerAck, .ignored: break
        }
        keepTicking(watch)
    }

    /// What a broker kept of a sensor is no level of the present.
    private func hearSensor(_ message: Mosquitto.Message) {
        guard let sensor = settings.sensor, !message.retain, let watch = watches[settings.node.space],
            let level = sensor.sensor.level(in: message.payload)
        else { return }
        let now = Clocks.now().boot
        watch.hear(Sample(source: message.topic, from: now, period: sensor.period, level: level), at: now)
        keepTicking(watch)
    }

    private func watch(_ space: SpaceID) -> SpaceWatch? {
        if let watch = watches[space] { return watch }
        guard watches.count < Self.spacesLimit else {
            say(problem: "there are more than \(Self.spacesLimit) spaces; \(space) is not served")
            return nil
        }
        let watch = SpaceWatch(space: space, settings: settings, bootID: bootID, files: files, loop: loop) {
            [weak self] outgoing in
            self?.assumeIsolated { $0.publish(outgoing) }
        }
        watches[space] = watch
        watch.start()
        if let connection { watch.feed(.linkUp(connection)) }
        return watch
    }

    private func publish(_ outgoing: Outgoing) {
        client?.assumeIsolated { client in
            client.send(Mosquitto.Message(outgoing)) { [weak self] result in
                guard case .failure(let error) = result, error.code == .publishRefused else { return }
                self?.assumeIsolated {
                    $0.say(problem: "the broker does not let this service publish \(outgoing.topic): \(error)")
                }
            }
        }
    }

    /// What goes on is said once.
    private func say(problem: String) {
        guard lastProblem != problem else { return }
        lastProblem = problem
        log.warning("\(problem)")
    }

    // MARK: Time

    private func keepTicking(_ watch: SpaceWatch) {
        guard !isTicking, watch.needsTick else { return }
        isTicking = true
        tick?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Self.pace)
    }

    private func everySecond() {
        let now = Clocks.now().boot
        isTicking = false
        for watch in watches.values {
            watch.update(at: now)
            if watch.needsTick { isTicking = true }
        }
        if isTicking { tick?.arm(atBootMilliseconds: now - now % Self.pace + Self.pace) }
    }
}
