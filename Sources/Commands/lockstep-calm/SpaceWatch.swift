// SPDX-License-Identifier: Apache-2.0

import Calm
import Commands
import Mosquitto
import Session
import Shell
import Wire

/// One space: its engine, what is heard in it, and what was last said of it. It lives on the service's thread.
final class SpaceWatch {
    /// After a change for so many milliseconds what comes late is still added.
    private static let afterwards: Int64 = 3_000
    /// Clocks of microphones that are remembered.
    private static let clocksLimit = 256

    let codec: WireCodec
    var memory = WireCodec.Memory()
    private let publish: (Outgoing) -> Void
    private let files: RoomFiles
    private let threshold: Threshold
    private var engine: Engine
    private var inputs: [Input] = []
    private var isBusy = false
    private var wake: LoopTimer?
    private var armedFor: Int64?
    private var viewChanges = 0

    private var room: Room
    private var clocks: [String: SourceClock] = [:]
    private var file: RoomFile
    private var published: CalmFeed?
    private var publishedAt = Int64.min / 2
    private var changedAt = Int64.min / 2

    init(
        space: SpaceID, settings: CalmSettings, bootID: BootID, files: RoomFiles, loop: EventLoop,
        publish: @escaping (Outgoing) -> Void
    ) {
        codec = WireCodec(space: space, me: settings.node.node)
        self.publish = publish
        self.files = files
        threshold = settings.threshold
        engine = Engine(
            configuration: Session.Configuration(
                node: settings.node.node, name: settings.node.name, role: .service, software: Software.name,
                bootID: bootID, isAnnounced: !settings.isEverySpace))
        (file, room) = files.open(space, threshold: settings.threshold)
        // The timer goes with this object, and its loop is the one that this object lives on.
        let box = Unowned(self)
        wake = loop.makeTimer { box.watch?.wakeUp() }
    }

    /// Of the watch that the loop's thread has, for that thread.
    private final class Unowned: @unchecked Sendable {
        weak var watch: SpaceWatch?
        init(_ watch: SpaceWatch) { self.watch = watch }
    }

    func start() { feed(.restored(nil)) }

    func will(_ connection: ConnectionID) -> Outgoing {
        codec.will(for: engine.presence(at: Clocks.now(), connection: connection, online: true))
    }

    func groupTime(at now: Instant) -> Int64 { engine.groupTime(now) }

    func save() { files.flush(&file) }

    // MARK: What is heard

    func hear(_ level: SoundLevel, from node: NodeID, at now: Int64) {
        let source = level.source.map { "\(node)/\($0)" } ?? node.rawValue
        var sent = now
        if let reading = level.sent {
            if clocks.count >= Self.clocksLimit, clocks[source] == nil { clocks.removeAll() }
            sent = clocks[source, default: SourceClock()].place(sent: reading, bootID: level.bootID, at: now)
        }
        hear(Sample(source: source, from: sent - level.period, period: level.period, level: level.level), at: now)
    }

    func hear(_ sample: Sample, at now: Int64) {
        guard room.meter.hear(sample, at: now) else { return }
        file.note(sample, at: now)
        // While no session runs nobody else does.
        if file.isLong { files.flush(&file, room: room) }
    }

    // MARK: The engine

    func feed(_ input: Input) {
        // The broker may have lost what it had.
        if case .linkUp = input { published = nil }
        inputs.append(input)
        guard !isBusy else { return }
        isBusy = true
        var index = 0
        while index < inputs.count {
            for effect in engine.handle(inputs[index], at: Clocks.now()) { perform(effect) }
            index += 1
        }
        inputs.removeAll(keepingCapacity: true)
        isBusy = false
        armWake()
        guard engine.viewChanges != viewChanges, !engine.isCatchingUp else { return }
        viewChanges = engine.viewChanges
        follow()
    }

    private func perform(_ effect: Effect) {
        switch effect {
        // It owns nothing, and so has nothing to keep.
        case .journal(_, let number): inputs.append(.journalled(number))
        case .publish(let message): publish(codec.encode(message))
        case .barrier(let connection): publish(codec.barrier(connection))
        case .reply, .log, .record: break
        }
    }

    private func armWake() {
        let next = engine.nextWake
        guard next != armedFor else { return }
        armedFor = next
        if let next { wake?.arm(atBootMilliseconds: next) } else { wake?.disarm() }
    }

    private func wakeUp() {
        armedFor = nil
        feed(.wake)
    }

    // MARK: What is said

    /// Whether what there is to say can change by itself.
    var needsTick: Bool {
        let boot = EventLoop.bootMilliseconds()
        guard let moment = engine.view.lastMoment(at: boot) else { return false }
        return moment.register.status == .running || boot - changedAt < Self.afterwards
    }

    private func follow() {
        let boot = EventLoop.bootMilliseconds()
        changedAt = boot
        guard let register = engine.view.register else { return }
        if room.follow(register, others: { engine.register(of: $0) }), let sessions = room.sessions {
            file.note(sessions)
        }
        update(at: boot)
    }

    /// Adds up and says what has changed, at most once a second.
    func update(at boot: Int64) {
        // What is said is on disk before: after a restart it is still so.
        files.flush(&file, room: room)
        guard engine.view.isLinked, !engine.isCatchingUp, boot - publishedAt >= CalmService.pace,
            let moment = engine.view.lastMoment(at: boot), let feed = room.feed(of: moment),
            feed.isNews(after: published)
        else { return }
        if moment.register.status != .running { changedAt = max(changedAt, moment.anchorBoot) }
        published = feed
        publishedAt = boot
        publish(codec.encode(feed))
    }
}

extension CalmFeed {
    /// Whether it says more than another reading does; a level alone is none.
    fileprivate func isNews(after other: CalmFeed?) -> Bool {
        guard let other else { return true }
        return session != other.session || percent != other.percent || coverage != other.coverage
            || trend != other.trend || threshold != other.threshold || minutes != other.minutes
    }
}
