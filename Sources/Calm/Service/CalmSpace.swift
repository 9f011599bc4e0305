// SPDX-License-Identifier: Apache-2.0

import Core
import Mosquitto
import Runtime
import Session
import Settings
import Wire

/// The calm of one space: its core, its state, and the feed published last. It is used on the service's thread.
final class CalmSpace: ServiceSpace {
    /// How long the feed is still computed after the session has changed, for levels that come late.
    private static let lateLevelWait: Milliseconds = 3_000
    /// The maximum number of microphones whose clocks are remembered.
    private static let clocksLimit = 256

    let core: ServiceCore
    private let output: ServiceOutput
    private let files: CalmStateFiles
    private var view = View()
    private var state: CalmState
    private var clocks: [String: SourceClock] = [:]
    private var file: CalmStateFile
    private var published: CalmFeed?
    private var publishedAt = BootTime(.min / 2)
    private var changedAt = BootTime(.min / 2)

    init(
        space: SpaceID, settings: CalmSettings, files: CalmStateFiles, loop: EventLoop, output: ServiceOutput
    ) {
        self.output = output
        self.files = files
        core = ServiceCore(
            .calm, space: space, settings: settings.common, bootID: files.bootID, loop: loop, output: output)
        (file, state) = files.open(space, threshold: settings.threshold)
        core.onHandled = { [weak self] in self?.viewMayHaveChanged() }
        core.onTurn = { [weak self] in
            self?.published = nil
            self?.update(at: Clocks.boot())
        }
    }

    func handle(_ event: NodeCore.Event) { core.handle(event) }
    func save() { files.writePending(&file) }

    /// Adds the level of a node's microphone. Its boot clock is converted to this machine's.
    func add(_ level: SoundLevel, from node: NodeID, at now: BootTime) {
        let source = level.sourceName(at: node)
        var sent = now
        if let reading = level.sent {
            if clocks.count >= Self.clocksLimit, clocks[source] == nil { clocks.removeAll() }
            sent = clocks[source, default: SourceClock()].place(sent: reading, bootID: level.bootID, at: now)
        }
        add(TimedLevel(source: source, from: sent - level.period, period: level.period, level: level.level), at: now)
    }

    func add(_ sample: TimedLevel, at now: BootTime) {
        guard state.meter.add(sample, at: now) else { return }
        file.append(sample, at: now)
        // While no session runs, nothing else writes the pending lines.
        if file.hasManyPending { files.writePending(&file, state: state) }
    }

    /// Whether the feed can change by time alone.
    var needsTick: Bool {
        let boot = Clocks.boot()
        guard let moment = core.engine.view.lastMoment(at: boot) else { return false }
        return moment.register.status == .running || boot - changedAt < Self.lateLevelWait
    }

    private func viewMayHaveChanged() {
        guard core.engine.view != view, !core.engine.isCatchingUp else { return }
        view = core.engine.view
        let boot = Clocks.boot()
        changedAt = boot
        guard let register = core.engine.view.register else { return }
        if state.update(register, others: { core.engine.register(of: $0) }), let lineage = state.lineage {
            file.append(lineage)
        }
        update(at: boot)
    }

    /// Publishes the feed if it has changed, at most once a second.
    func update(at boot: BootTime) {
        // Written before it is published, so that a restart does not take back what was published.
        files.writePending(&file, state: state)
        guard core.serves, boot - publishedAt >= CalmService.feedInterval,
            let moment = core.engine.view.lastMoment(at: boot), var feed = state.feed(of: moment),
            feed.isNews(after: published)
        else { return }
        if moment.register.status != .running { changedAt = max(changedAt, moment.anchorBoot) }
        feed.by = core.codec.me
        published = feed
        publishedAt = boot
        output.publish(core.codec.encode(feed))
    }
}

extension CalmFeed {
    /// Returns whether more than the current level differs from another feed.
    fileprivate func isNews(after other: CalmFeed?) -> Bool {
        guard let other else { return true }
        return session != other.session || percent != other.percent || coverage != other.coverage
            || trend != other.trend || threshold != other.threshold || minutes != other.minutes
    }
}
