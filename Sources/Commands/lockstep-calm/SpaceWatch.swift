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

    let engine: ServiceEngine
    private let publish: (Outgoing) -> Void
    private let files: RoomFiles
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
        self.publish = publish
        self.files = files
        engine = ServiceEngine(
            space: space, settings: settings.node, isAnnounced: !settings.isEverySpace, bootID: bootID, loop: loop,
            publish: publish)
        (file, room) = files.open(space, threshold: settings.threshold)
        engine.onFed = { [weak self] in self?.lookAtView() }
    }

    func start() { feed(.restored(nil)) }

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

    func feed(_ input: Input) {
        // The broker may have lost what it had.
        if case .linkUp = input { published = nil }
        engine.feed(input)
    }

    // MARK: What is said

    /// Whether what there is to say can change by itself.
    var needsTick: Bool {
        let boot = EventLoop.bootMilliseconds()
        guard let moment = engine.state.view.lastMoment(at: boot) else { return false }
        return moment.register.status == .running || boot - changedAt < Self.afterwards
    }

    private func lookAtView() {
        guard engine.state.viewChanges != viewChanges, !engine.state.isCatchingUp else { return }
        viewChanges = engine.state.viewChanges
        let boot = EventLoop.bootMilliseconds()
        changedAt = boot
        guard let register = engine.state.view.register else { return }
        if room.follow(register, others: { engine.state.register(of: $0) }), let sessions = room.sessions {
            file.note(sessions)
        }
        update(at: boot)
    }

    /// Adds up and says what has changed, at most once a second.
    func update(at boot: Int64) {
        // What is said is on disk before: after a restart it is still so.
        files.flush(&file, room: room)
        guard engine.state.view.isLinked, !engine.state.isCatchingUp, boot - publishedAt >= CalmService.pace,
            let moment = engine.state.view.lastMoment(at: boot), let feed = room.feed(of: moment),
            feed.isNews(after: published)
        else { return }
        if moment.register.status != .running { changedAt = max(changedAt, moment.anchorBoot) }
        published = feed
        publishedAt = boot
        publish(engine.codec.encode(feed))
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
