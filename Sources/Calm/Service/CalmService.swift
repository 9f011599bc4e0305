// SPDX-License-Identifier: Apache-2.0

import Logging
package import Mosquitto
import Runtime
import Session
import Settings
import Wire

/// The calm service: a broker connection, on whose thread it runs, and a ``CalmSpace`` for each space.
package actor CalmService: BrokerService {
    /// The interval between two feeds while a session runs. A person sees a change within it.
    static let feedInterval: Milliseconds = 1_000

    private nonisolated let loop: EventLoop
    private let settings: CalmSettings
    private let link: ServiceLink<CalmSpace>
    private var ticker: LoopTimer?
    private var isTicking = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(settings: CalmSettings, files: CalmStateFiles, loop: EventLoop, log: Logger) {
        self.settings = settings
        self.loop = loop
        let space = settings.servesEverySpace ? nil : settings.common.space
        var filters = Topics.calmSubscriptions(for: settings.common.node, in: space)
        if let sensor = settings.sensor { filters.append(sensor.filter) }
        link = ServiceLink(
            settings: settings.common, servesEverySpace: settings.servesEverySpace, filters: filters, loop: loop,
            log: log
        ) { space, output in
            CalmSpace(space: space, settings: settings, files: files, loop: loop, output: output)
        }
    }

    /// Runs the service as a process, until SIGTERM or SIGINT.
    package static func serve(_ settings: CalmSettings) async throws {
        let process = try ServiceProcess(settings.common, servesEverySpace: settings.servesEverySpace, name: .calm)
        let files = CalmStateFiles(directory: process.directory, bootID: process.bootID, log: process.log)
        try await EventLoop.withEventLoop(name: "calm") { loop in
            let watchdog = Watchdog(on: loop)
            defer { withExtendedLifetime(watchdog) {} }
            try await process.run(CalmService(settings: settings, files: files, loop: loop, log: process.log))
        }
    }

    package func run(_ configuration: MQTTConfiguration) async throws {
        ticker = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.tick() } }
        try await link.run(
            configuration,
            makeWill: { [weak self] in self?.assumeIsolated { $0.link.will() } },
            onEvent: { [weak self] event in self?.assumeIsolated { $0.handle(event) } })
    }

    package func goOffline() async {
        for space in link.spaces.values { space.save() }
        await link.leave()
    }

    private func handle(_ event: MQTTEvent) {
        link.handle(event)
        guard case .message(let message) = event, let space = handle(message) else { return }
        guard !isTicking, space.needsTick else { return }
        isTicking = true
        ticker?.arm(atBootMilliseconds: (Clocks.boot() + Self.feedInterval).milliseconds)
    }

    /// Handles a message, and returns its space; `nil` if the message is not used.
    private func handle(_ message: MQTTMessage) -> CalmSpace? {
        let now = Clocks.boot()
        if let id = Topics.space(of: message.topic) {
            guard let space = link.openSpace(id) else { return nil }
            for case .sound(let level, let node) in space.core.receive(message) {
                space.add(level, from: node, at: now)
            }
            return space
        }
        // A retained message of a sensor is not its present level.
        guard let sensor = settings.sensor, !message.retain, let space = link.spaces[settings.common.space],
            let level = sensor.sensor.level(in: message.payload)
        else { return nil }
        space.add(TimedLevel(source: message.topic, from: now, period: sensor.period, level: level), at: now)
        return space
    }

    private func tick() {
        let now = Clocks.boot()
        isTicking = false
        for space in link.spaces.values {
            space.update(at: now)
            if space.needsTick { isTicking = true }
        }
        let interval = Self.feedInterval.count
        if isTicking { ticker?.arm(atBootMilliseconds: (now.milliseconds / interval + 1) * interval) }
    }
}
