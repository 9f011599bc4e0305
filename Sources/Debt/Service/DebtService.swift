// SPDX-License-Identifier: Apache-2.0

import Ledger
import Logging
package import Mosquitto
import Runtime
import Session
import Settings
import Wire

/// The debt service: a broker connection, on whose thread it runs, a ledger, and a ``DebtSpace`` for each space.
package actor DebtService: BrokerService {
    /// How long a change of calm waits before the week is published again: it changes often.
    private static let calmDelay: Milliseconds = 5_000

    private nonisolated let loop: EventLoop
    private let settings: DebtSettings
    private let log: Logger
    private let ledger: LedgerStore
    private let history: RulesHistory
    private let bootID: BootID
    private lazy var link = ServiceLink(
        settings: settings.common, servesEverySpace: settings.servesEverySpace,
        filters: Topics.debtSubscriptions(
            for: settings.common.node, in: settings.servesEverySpace ? nil : settings.common.space),
        loop: loop, log: log
    ) { [weak self, settings, ledger, history, bootID, loop] id, output in
        let space = DebtSpace(
            space: id, settings: settings, ledger: ledger, history: history, bootID: bootID, loop: loop, output: output)
        space.onTurn = { self?.assumeIsolated { $0.publishAll(of: id) } }
        return space
    }
    private let disk: EventLoop
    private lazy var filer = RecordFiler(
        ledger, loop: loop, disk: disk, log: log,
        send: { [weak self] space, ack, completion in
            self?.assumeIsolated { $0.link.spaces[space]?.publish(ack, completion: completion) }
        },
        onFiled: { [weak self] result in self?.assumeIsolated { $0.noteFiled(result) } })
    private lazy var schedule = WeekSchedule(
        updater: loop.makeTimer { [weak self] in self?.assumeIsolated { $0.updateChanged() } },
        reader: loop.makeTimer { [weak self] in self?.assumeIsolated { $0.readPastWeek() } },
        calendar: loop.makeTimer { [weak self] in self?.assumeIsolated { $0.checkCalendar() } })
    private lazy var presences = PresenceQueue(
        timer: loop.makeTimer { [weak self] in self?.assumeIsolated { $0.presencesAreDue() } })
    /// Whether presences are handled after the next records are filed.
    private var hasWaitingPresences = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        settings: DebtSettings, ledger: LedgerStore, history: RulesHistory, bootID: BootID, loop: EventLoop,
        disk: EventLoop, log: Logger
    ) {
        self.settings = settings
        self.ledger = ledger
        self.loop = loop
        self.disk = disk
        self.log = log
        self.history = history
        self.bootID = bootID
    }

    /// Runs the service as a process, until SIGTERM or SIGINT. At SIGHUP it reads the ledger again.
    /// - Throws: ``SettingError`` if a setting is missing, or another process uses the state directory; `LedgerError`.
    package static func serve(_ settings: DebtSettings) async throws {
        let process = try ServiceProcess(settings.common, servesEverySpace: settings.servesEverySpace, name: .debt)
        let file = LedgerStore.isShared(settings.ledger) ? nil : try LedgerStore(at: settings.ledger)
        try await EventLoop.withEventLoop(name: "debt-disk") { disk in
            try await EventLoop.withEventLoop(name: "debt") { loop in
                let watchdog = Watchdog(on: loop)
                defer { withExtendedLifetime(watchdog) {} }
                let makeService = { @Sendable (ledger: LedgerStore) throws in
                    DebtService(
                        settings: settings, ledger: ledger,
                        history: try ledger.adopt(settings.rules, at: Clocks.now().told),
                        bootID: process.bootID, loop: loop, disk: disk, log: process.log)
                }
                let metadata: Logger.Metadata = ["ledger": "\(settings.ledger)"]
                if let file {
                    let service = try makeService(file)
                    try await process.run(service, metadata) { await service.ledgerHasChanged() }
                } else {
                    let turns = DebtTurns(settings, log: process.log, makeService: makeService)
                    try await process.run(turns, metadata) { await turns.ledgerHasChanged() }
                }
            }
        }
        try file?.close()
        // The state directory stays locked until the ledger is closed.
        withExtendedLifetime(process) {}
    }

    package func run(_ configuration: MQTTConfiguration) async throws {
        filer.clearEarlierProblems()
        for known in try ledger.spaces() where settings.servesEverySpace { _ = space(known) }
        try await link.run(
            configuration,
            makeWill: { [weak self] in self?.assumeIsolated { $0.link.will() } },
            onEvent: { [weak self] event in self?.assumeIsolated { $0.handle(event) } })
    }

    package func goOffline() async {
        filer.fileNow()
        await link.leave()
    }

    /// Computes all weeks again, because another process has written into the ledger.
    func ledgerHasChanged() {
        for space in link.spaces.values { space.book.forget() }
        checkCalendar()
    }

    // MARK: Events

    private func handle(_ event: MQTTEvent) {
        link.handle(event)
        switch event {
        case .connected: checkCalendar()
        case .disconnected: filer.noteDisconnected()
        case .message(let message):
            guard let id = Topics.space(of: message.topic), let space = space(id) else { return }
            for decoded in space.core.receive(message) { handle(decoded, of: message, in: space) }
        }
    }

    private func handle(_ decoded: Decoded, of message: MQTTMessage, in space: DebtSpace) {
        switch decoded {
        case .record(let digested):
            let now = Clocks.now()
            filer.receive(
                digested, in: space.id, at: space.core.groupTime(at: now),
                isVouched: space.core.engine.areDatesFinal(at: now))
        case .feed(.calm(let calm?)):
            perform(.written) {
                try ledger.store(calm, in: space.id)
                space.scheduleUpdate(by: space.core.groupTime(at: Clocks.now()) + Self.calmDelay)
                armCalendar()
            }
        case .message(.presence(let presence), let sender) where sender != settings.common.node:
            // The engine knows if a will belongs to a connection that was replaced, and limits the number of nodes.
            let peer = space.core.engine.peers[sender]
            guard peer.presence != nil else { return }
            // If a node went offline unnoticed, only the start of its last connection is known.
            let since = message.retain ? presence.at : space.core.groupTime(at: Clocks.now())
            presences.insert(
                SpaceNode(space: space.id, node: sender), goneSince: peer.isOnline ? nil : since,
                at: Clocks.boot())
        case .discard(let reason, let sender):
            guard let sender, case .own(.record, _) = space.core.codec.topics.parse(message.topic) else { return }
            let name = reason == .retained ? nil : RecordName(ofRejected: message.payload)
            filer.refuse(name, of: sender, in: space.id, because: reason.rawValue)
        case .feed(.debt(let feed)): space.retained = feed
        case .message, .barrier, .erased, .feed, .ledgerAck, .sound, .ignored: break
        }
    }

    private func space(_ id: SpaceID) -> DebtSpace? {
        let isNew = link.spaces[id] == nil
        let space = link.openSpace(id)
        if isNew, space != nil, link.isConnected {
            loop.execute { [weak self] in self?.assumeIsolated { $0.update(id) } }
        }
        return space
    }

    /// A step with the ledger, which may fail.
    private enum Use { case read, written }

    /// Runs `body`, and reports a ledger that cannot be read or written; then the result is `nil`.
    @discardableResult
    private func perform<Value>(_ use: Use, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            link.problems.report("the ledger cannot be \(use): \(error)")
            return nil
        }
    }

    // MARK: The ledger

    /// Adds up the weeks that a batch of records has changed.
    private func noteFiled(_ result: Result<[RecordFiler.Filed], any Error>) {
        defer { if hasWaitingPresences { handlePresences() } }
        guard let filed = perform(.written, result.get) else { return }
        var touched: [SpaceID: GroupTime] = [:]
        for (arrival, change) in filed where change.filing == .stored {
            touched[arrival.space] = min(touched[arrival.space] ?? .distantFuture, change.firstTouched)
        }
        for (id, instant) in touched {
            link.spaces[id]?.book.forget(from: instant)
            schedule.insert(changed: id)
        }
        updateChanged()
    }

    // MARK: Nodes

    /// Handles presences. If records wait, it does so after the next filing, or their nodes would send them again.
    private func presencesAreDue() {
        hasWaitingPresences = !filer.isIdle
        if !hasWaitingPresences { handlePresences() }
    }

    /// Compares the records of nodes that have connected, and stores which nodes are offline.
    private func handlePresences() {
        hasWaitingPresences = false
        let due = presences.removeDue(at: Clocks.boot())
        for (id, nodes) in Dictionary(grouping: due, by: \.key.space) {
            guard let space = link.spaces[id] else { continue }
            perform(.written) {
                guard try space.noteAbsences(nodes.map { ($0.key.node, $0.value) }) else { return }
                schedule.insert(changed: id)
            }
            for (key, _) in nodes { perform(.read) { try space.compare(with: key.node) } }
        }
        updateChanged()
    }

    // MARK: The week

    /// Publishes the week and the year of a space, whether they have changed or not.
    private func publishAll(of id: SpaceID) {
        perform(.read) { try link.spaces[id]?.compareAll() }
        schedule.insert(changed: id)
        updateChanged()
    }

    private func updateChanged() {
        let startedAt = Clocks.boot()
        let changed = schedule.removeChanged(at: startedAt)
        guard !changed.isEmpty else { return }
        for id in changed { update(id) }
        schedule.noteUpdate(from: startedAt, to: Clocks.boot())
    }

    private func update(_ id: SpaceID) {
        guard let space = link.spaces[id] else { return }
        perform(.read, space.update)
        schedule.insert(unread: id, at: Clocks.boot())
        armCalendar()
    }

    private func readPastWeek() {
        guard let id = schedule.nextUnread else { return }
        let startedAt = Clocks.boot()
        let hasMore = perform(.read) { try link.spaces[id]?.updateYear() } ?? false
        schedule.noteRead(id, isComplete: hasMore != true, from: startedAt, to: Clocks.boot())
    }

    private func checkCalendar() {
        filer.clearEndedProblems()
        for id in link.spaces.keys { update(id) }
        armCalendar()
    }

    private func armCalendar() {
        let now = Clocks.now()
        schedule.armCalendar(
            in: link.spaces.values.map { $0.nextUpdate - $0.core.groupTime(at: now) }.min(), at: now.boot)
    }
}
