// SPDX-License-Identifier: Apache-2.0

import Commands
import Debt
import Logging
import Mosquitto
import Session
import Shell
import Wire

/// The debt service: one connection, on whose thread it lives, one ledger, and a week for each space.
actor DebtService {
    /// Spaces of a broker that are served.
    private static let spacesLimit = 4_096
    /// The calendar is looked at again after so many milliseconds, whatever the clocks have done meanwhile.
    private static let longestRest: Int64 = 600_000
    /// How calm it is changes often; the week says so after so many milliseconds.
    private static let calmRest: Int64 = 5_000

    /// Milliseconds between two weeks that are read of past years, at least.
    private static let readingRest: Int64 = 2
    /// After a week was added up, it is not added up again for this many times as long as that took: with thousands of
    /// sessions it is what costs most, and each record can change it.
    private static let updateRest: Int64 = 10

    nonisolated let loop: EventLoop
    let settings: DebtSettings
    let log: Logger
    private let ledger: Ledger
    private var history: RulesHistory
    private let bootID: BootID
    private var spaces: [SpaceID: DebtSpace] = [:]
    private var client: MQTTClient?
    private var connection: ConnectionID?
    private var calendar: LoopTimer?
    private var reader: LoopTimer?
    private var unread: Set<SpaceID> = []
    private let disk: EventLoop
    private var intake: RecordIntake?
    private var updater: LoopTimer?
    /// Spaces whose week has to be added up when ``updatesFrom`` has come, on the boot clock.
    private var changed: Set<SpaceID> = []
    private var updatesFrom: Int64 = 0
    private var isAnswering = false
    private var lastProblem: String?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        settings: DebtSettings, ledger: Ledger, history: RulesHistory, bootID: BootID, loop: EventLoop,
        disk: EventLoop, log: Logger
    ) {
        self.disk = disk
        self.settings = settings
        self.ledger = ledger
        self.history = history
        self.bootID = bootID
        self.loop = loop
        self.log = log
    }

    /// Serves until ``goOffline()``.
    func run(_ configuration: Mosquitto.Configuration) async throws {
        var configuration = configuration
        calendar = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.lookAtCalendar() } }
        reader = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.readOn() } }
        updater = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.updateChanged() } }
        intake = RecordIntake(ledger, loop: loop, disk: disk, log: log) { [weak self] result in
            self?.assumeIsolated { $0.take(filed: result) }
        }
        intake?.begin()
        if !settings.isEverySpace {
            _ = space(settings.node.space)
            configuration.makeWill = { [weak self] _ in self?.assumeIsolated { $0.will() } }
        }
        for known in try ledger.spaces() where settings.isEverySpace { _ = space(known) }
        let client = MQTTClient(configuration, on: loop)
        self.client = client
        await client.onEvent { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
        try await client.run()
    }

    /// Says goodbye, and lets go of the connection.
    func goOffline() async {
        intake?.fileNow()
        guard let client else { return }
        if let connection, !settings.isEverySpace, let space = spaces[settings.node.space] {
            await client.send(space.engine.will(connection))
        }
        connection = nil
        await client.close(deadlineMilliseconds: 500)
    }

    /// Another process has written into the ledger: a person's correction, or what was imported.
    func ledgerHasChanged() {
        for space in spaces.values { space.forget(history: nil) }
        lookAtCalendar()
    }

    private func will() -> Mosquitto.Message? {
        let id = Self.newConnection()
        connection = id
        return spaces[settings.node.space]?.engine.will(id)
    }

    private static func newConnection() -> ConnectionID {
        let id = ConnectionID("debt-" + String(UInt64.random(in: 0 ... .max), radix: 36))
        return id ?? { preconditionFailure("a word and thirteen digits of base 36 are an id") }()
    }

    // MARK: Events

    private func handle(_ event: Event) {
        switch event {
        case .connected: connected()
        case .message(let message): receive(message)
        case .disconnected(let error, _):
            connection = nil
            intake?.linkDown()
            for space in spaces.values { space.feed(.linkDown) }
            say(problem: "no connection to the broker: \(error.description)")
        case .overflow: break  // A handler takes every message as it comes.
        }
    }

    private func connected() {
        lastProblem = nil
        connection = connection ?? Self.newConnection()
        let me = settings.node.node
        let filters =
            settings.isEverySpace
            ? Topics.debtEverySpace(for: me) : Topics(space: settings.node.space).debtSubscriptions(for: me)
        // A record that is lost is sent again. At QoS 1 a broker would hold all but a few back until they are acknowledged,
        // and drop what does not fit its queue meanwhile.
        let subscriptions = filters.map { Subscription($0, qos: .atMostOnce) }
        // Said when it hears: what anybody publishes before that is lost.
        client?.assumeIsolated { client in
            client.subscribe(subscriptions) { [log] result in
                if case .success = result { log.info("connected to the broker") }
            }
        }
        if let connection { for space in spaces.values { space.feed(.linkUp(connection)) } }
        lookAtCalendar()
    }

    private func receive(_ message: Mosquitto.Message) {
        guard let id = Topics.space(of: message.topic), let space = space(id) else { return }
        let now = Clocks.now()
        switch space.engine.decode(message, at: now) {
        case .record(let filed):
            let at = space.groupTime(at: now)
            guard filed.record.isPlausible(at: at) else {
                return refuse(filed.name, from: filed.record.node, because: "implausible date", in: space)
            }
            intake?.take(Ledger.Arrival(space: id, filed: filed, at: at))
        case .feed(.calm(let calm)): if let calm { hear(calm, in: space) }
        case .message(let content, let sender):
            space.feed(.received(content, from: sender, retained: message.retain))
            if case .presence(let presence) = content, sender != settings.node.node {
                if presence.online { compare(with: sender, connection: presence.connection, in: space) }
                note(presence, of: sender, isRetained: message.retain, in: space)
            }
        case .barrier(let id): space.feed(.barrierPassed(id))
        case .erased(let sender): space.feed(.erased(from: sender))
        case .discard(let reason, let sender):
            space.feed(.discarded(reason, from: sender))
            if let sender, case .record = space.codec.topics.parse(message.topic) {
                let name = reason == .retained ? nil : RecordName(ofRejected: message.payload)
                refuse(name, from: sender, because: reason.rawValue, in: space)
            }
        case .feed, .ledgerAck, .sound, .ignored: break
        }
    }

    private func space(_ id: SpaceID) -> DebtSpace? {
        if let space = spaces[id] { return space }
        guard spaces.count < Self.spacesLimit else {
            say(problem: "there are more than \(Self.spacesLimit) spaces; \(id) is not served")
            return nil
        }
        let space = DebtSpace(
            space: id, settings: settings, ledger: ledger, history: history, bootID: bootID, loop: loop
        ) { [weak self] outgoing in
            self?.assumeIsolated { $0.publish(outgoing) }
        }
        spaces[id] = space
        space.feed(.restored(nil))
        if let connection {
            space.feed(.linkUp(connection))
            loop.execute { [weak self] in self?.assumeIsolated { $0.update(id) } }
        }
        return space
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

    // MARK: The ledger

    /// Says what became of records, once that is on disk.
    private func take(filed result: Result<[RecordIntake.Filed], any Error>) {
        let filed: [RecordIntake.Filed]
        switch result {
        case .success(let outcomes): filed = outcomes
        // Nobody is told, so all of it comes again.
        case .failure(let error): return say(problem: "the ledger cannot be written: \(error)")
        }
        var touched: [SpaceID: Int64] = [:]
        for (arrival, outcome) in filed {
            guard let space = spaces[arrival.space] else { continue }
            if outcome.filing == .kept { touched[arrival.space] = min(touched[arrival.space] ?? .max, outcome.touches) }
            let record = arrival.filed.record
            if outcome.filing == .conflict {
                warn("two records of one version", of: record.node, in: space, ["session": "\(record.id)"])
            }
            let answer: LedgerAck.Outcome =
                switch outcome.filing {
                case .kept, .known, .older: .kept
                case .conflict: .conflict
                case .refused: .refused
                }
            space.answer(record.node, arrival.filed.name, answer)
        }
        answerSoon()
        for (id, instant) in touched {
            spaces[id]?.forget(from: instant)
            changed.insert(id)
        }
        updateChanged()
    }

    /// A record that is no good gets an answer, so that its node stops; it is in the way of no other.
    private func refuse(_ name: RecordName?, from node: NodeID, because reason: String, in space: DebtSpace) {
        warn("a record cannot be kept", of: node, in: space, ["reason": "\(reason)"])
        guard let name else { return }
        space.answer(node, name, .refused)
        answerSoon()
    }

    /// Warns once a minute of each node, however much it sends.
    private func warn(_ text: String, of node: NodeID, in space: DebtSpace, _ metadata: Logger.Metadata) {
        let now = EventLoop.bootMilliseconds()
        let id = space.codec.topics.space
        guard let others = intake?.limiter.allows("\(text) \(id) \(node)", at: now) else { return }
        let all: Logger.Metadata = ["space": "\(id)", "node": "\(node)", "repeated": "\(others)"]
        log.warning("\(text)", metadata: all.merging(metadata) { $1 })
    }

    /// Answers behind what is dealt with now, so that one message holds many answers.
    private func answerSoon() {
        guard !isAnswering else { return }
        isAnswering = true
        loop.execute { [weak self] in
            self?.assumeIsolated { service in
                service.isAnswering = false
                guard let (client, intake) = service.client.flatMap({ client in service.intake.map { (client, $0) } })
                else { return }
                for space in service.spaces.values {
                    for answer in space.takeAnswers() { intake.send(Mosquitto.Message(answer), by: client) }
                }
            }
        }
    }

    /// Says to a node what the ledger holds of it, once for each of its connections.
    private func compare(with node: NodeID, connection: ConnectionID, in space: DebtSpace) {
        guard space.isNew(connection, of: node) else { return }
        intake?.fileNow()
        do {
            let weeks = try ledger.weeks(of: node, in: space.codec.topics.space)
            publish(space.codec.encode(LedgerAck(node: node, weeks: weeks)))
        } catch {
            say(problem: "the ledger cannot be read: \(error)")
        }
    }

    /// Takes down who is gone and who is back: what counts up counts no further than its owner was heard of.
    private func note(_ presence: Presence, of node: NodeID, isRetained: Bool, in space: DebtSpace) {
        let id = space.codec.topics.space
        // The engine knows which will is of a connection that was replaced long ago.
        let isHere = space.isHere(node)
        guard presence.role == .node, isHere == space.gone.contains(node) else { return }
        do {
            // Of one who went while nobody listened, only when it came is known.
            let since = isRetained ? presence.at : space.groupTime(at: Clocks.now())
            let isNews =
                isHere ? try ledger.takeDown(back: node, in: id) : try ledger.takeDown(gone: node, since: since, in: id)
            space.set(node, isGone: !isHere)
            guard isNews else { return }
            space.forget(history: nil)
            update(id)
        } catch {
            say(problem: "the ledger cannot be written: \(error)")
        }
    }

    private func hear(_ calm: CalmFeed, in space: DebtSpace) {
        do {
            try ledger.note(calm, in: space.codec.topics.space)
            space.updates(by: space.groupTime(at: Clocks.now()) + Self.calmRest)
            armCalendar()
        } catch {
            say(problem: "the ledger cannot be written: \(error)")
        }
    }

    // MARK: The week

    /// Adds up the weeks that records have changed, unless that took long and was done just now.
    private func updateChanged() {
        let now = EventLoop.bootMilliseconds()
        guard !changed.isEmpty else { return }
        guard now >= updatesFrom else {
            updater?.arm(atBootMilliseconds: updatesFrom)
            return
        }
        let ids = changed
        changed = []
        for id in ids { update(id) }
        let end = EventLoop.bootMilliseconds()
        updatesFrom = end + (end - now) * Self.updateRest
    }

    private func update(_ id: SpaceID) {
        guard let space = spaces[id] else { return }
        do {
            try space.update()
        } catch {
            say(problem: "the ledger cannot be read: \(error)")
        }
        if unread.isEmpty { reader?.arm(atBootMilliseconds: EventLoop.bootMilliseconds()) }
        unread.insert(id)
        armCalendar()
    }

    /// Reads another week of the year of a space, and lets others have their turn.
    private func readOn() {
        guard let id = unread.first else { return }
        let begin = EventLoop.bootMilliseconds()
        do {
            if try spaces[id]?.updateYear() != true { unread.remove(id) }
        } catch {
            unread.remove(id)
            say(problem: "the ledger cannot be read: \(error)")
        }
        let end = EventLoop.bootMilliseconds()
        if !unread.isEmpty {
            reader?.arm(atBootMilliseconds: end + max(Self.readingRest, (end - begin) * Self.updateRest))
        }
    }

    private func lookAtCalendar() {
        intake?.review()
        for id in spaces.keys { update(id) }
        armCalendar()
    }

    private func armCalendar() {
        let now = Clocks.now()
        let rest = spaces.values.map { $0.nextUpdate - $0.groupTime(at: now) }.min() ?? Self.longestRest
        calendar?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + max(1, min(rest, Self.longestRest)))
    }
}
