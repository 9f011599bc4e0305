// SPDX-License-Identifier: Apache-2.0

import API
import FoundationEssentials
package import Logging
import Platform
import Session
package import Settings
import Wire

/// The runner of user hooks, desktop notifications and sounds at session events of this node. Hooks of one event run
/// one after the other, in order; different events, notifications and sounds concurrently. The node never waits.
package final class Hooks: Sendable {
    /// The maximum number of waiting runs of a queue, and of waiting batches; further ones are dropped and logged.
    static let queueLimit = 32

    package typealias Notification = (summary: String, body: String)

    /// The events of one change, and the memory that includes them, which is saved before their hooks run.
    private struct Batch: Sendable {
        var events: [SessionEvent]
        var reports: [EventReport]
        var memory: SessionEvents
    }

    /// The command that plays the file `$0`, by the first player that is there and succeeds.
    private static let player = """
        for player in pw-play paplay aplay; do
            command -v $player >/dev/null || continue
            found=$player
            $player "$0" && exit
        done
        [ -n "$found" ] || echo "none of pw-play, paplay and aplay is installed"
        exit 1
        """

    private let settings: HookSettings
    private let socket: String
    private let directory: StateDirectory
    private let memory: EventMemory
    private let log: Logger
    private let words: @Sendable (SessionEvent) -> Notification
    private let batches: AsyncStream<Batch>
    private let incoming: AsyncStream<Batch>.Continuation

    /// Returns `nil` if the settings have no hooks, no notifications and no sound. It then removes what earlier ones
    /// left.
    package init?(
        settings: NodeSettings, directory: StateDirectory, log: Logger,
        words: @escaping @Sendable (SessionEvent) -> Notification
    ) {
        memory = EventMemory(directory: directory)
        self.settings = settings.hooks
        socket = settings.socket
        self.directory = directory
        self.log = log
        self.words = words
        (batches, incoming) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.queueLimit))
        guard settings.hooks.isEmpty else { return }
        memory.remove()
        return nil
    }

    /// Starts to collect the session events of a node, for ``run(_:)``.
    /// - Parameter isLinkExpected: Whether to wait for the broker, which may hold later registers than the journal.
    package func watch(_ node: Node, isLinkExpected: Bool) async {
        var events: SessionEvents?
        do {
            events = try memory.load(at: await node.groupTime)
        } catch {
            log.warning(
                "the reported session events cannot be read; events before this start are not reported",
                metadata: ["reason": "\(error)"])
        }
        await node.include(AlertCheck(settings: settings, environment: ProcessInfo.processInfo.environment))
        await node.watchEvents(since: events, isLinkExpected: isLinkExpected) {
            [incoming, log] events, reports, memory in
            let batch = Batch(events: events, reports: reports, memory: memory)
            if case .dropped = incoming.yield(batch) {
                log.warning("too many session events at once; hooks are dropped")
            }
        }
    }

    /// Runs the hooks of the collected events until the task is cancelled.
    package func run(_ node: Node) async {
        if settings.sound == .chime, let path = settings.sound.path(in: directory.path) { writeChime(to: path) }
        await withDiscardingTaskGroup { group in
            var queues: [HookRun.Queue: AsyncStream<HookRun>.Continuation] = [:]
            for queue in settings.commands.keys.map(HookRun.Queue.hook) + [.notification, .chime] {
                let (runs, continuation) = AsyncStream.makeStream(
                    of: HookRun.self, bufferingPolicy: .bufferingOldest(Self.queueLimit))
                queues[queue] = continuation
                group.addTask { [log] in for await run in runs { await run.run(log) } }
            }
            let views = await node.changes { $0.view }
            group.addTask { await self.bell?.run(views) }
            for await batch in batches {
                write(batch.memory)
                for (event, report) in zip(batch.events, batch.reports) {
                    for run in runs(at: event, report) {
                        if case .dropped = queues[run.queue]?.yield(run) {
                            log.warning(
                                "a hook is dropped, too many are waiting", metadata: ["event": "\(event.name)"])
                        }
                    }
                }
            }
            for queue in queues.values { queue.finish() }
        }
    }

    /// The bell of alarms; `nil` if the settings ask for no sound.
    private var bell: AlarmBell? {
        guard let process = sound(ProcessInfo.processInfo.environment) else { return nil }
        return AlarmBell { [log] in
            do { _ = try await process.run() } catch {
                log.warning("sound cannot be started", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func sound(_ environment: [String: String]) -> HookProcess? {
        settings.sound.path(in: directory.path).map {
            HookProcess(
                program: "/bin/sh", arguments: ["-c", Self.player, $0], environment: environment, input: [])
        }
    }

    private func write(_ events: SessionEvents) {
        do throws(FileError) {
            try memory.write(events)
        } catch {
            log.error(
                "the reported session events cannot be written; after a restart hooks may run again",
                metadata: ["reason": "\(error)"])
        }
    }

    private func writeChime(to path: String) {
        do throws(FileError) {
            try Files.replace(path, with: Chime.wav())
        } catch {
            log.error("the sound of the end of a phase cannot be written", metadata: ["reason": "\(error)"])
        }
    }

    private func runs(at event: SessionEvent, _ report: EventReport) -> [HookRun] {
        let environment = HookEnvironment.environment(
            of: report, socket: socket, inherited: ProcessInfo.processInfo.environment)
        var runs: [HookRun] = []
        if let command = settings.commands[event.name] {
            let process = HookProcess(
                program: "/bin/sh", arguments: ["-c", command], environment: environment,
                input: report.encoded)
            runs.append(HookRun(queue: .hook(event.name), event: event, process: process))
        }
        if settings.notifies {
            let notification = words(event)
            let process = HookProcess(
                program: "notify-send",
                arguments: ["--app-name=Lockstep", "--", notification.summary, notification.body.escapedMarkup],
                environment: environment, input: [])
            runs.append(HookRun(queue: .notification, event: event, process: process))
        }
        // A sound cannot say that it is late, as a notification can. For an alarm the bell sounds.
        let isAlarm = event.register.hasAlarm && event.register.status != .running
        if [.phase, .completed].contains(event.name), !event.isLate, !isAlarm,
            let process = sound(environment)
        {
            runs.append(HookRun(queue: .chime, event: event, process: process))
        }
        return runs
    }
}

extension String {
    /// The text with escapes for the markup that a notification server would interpret.
    fileprivate var escapedMarkup: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
