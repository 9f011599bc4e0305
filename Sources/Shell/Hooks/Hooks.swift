// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
public import Logging
import Session
import Wire

/// User hooks and desktop notifications: what a person wants to happen at session events on this node.
///
/// Hooks of one event run one after the other, in order; those of different events, and notifications, do not wait for
/// each other. Nothing here holds up the node.
public final class Hooks: Sendable {
    /// Runs that wait for one that has not ended; further ones are left out, and the log says so.
    static let waiting = 32

    /// What a desktop notification says.
    public struct Notification: Sendable {
        /// What happened.
        public var summary: String
        /// To which session.
        public var body: String

        /// Makes a notification.
        public init(summary: String, body: String) {
            self.summary = summary
            self.body = body
        }
    }

    private struct Batch: Sendable {
        var events: [SessionEvent]
        var reports: [EventReport]
        var memory: SessionEvents
    }

    private let settings: HookSettings
    private let socket: String
    private let memory: EventMemory
    private let log: Logger
    private let words: @Sendable (SessionEvent) -> Notification
    private let batches: AsyncStream<Batch>
    private let incoming: AsyncStream<Batch>.Continuation

    /// Makes ready for what the settings ask for.
    /// - Parameters:
    ///   - words: Puts an event into words for a person.
    /// - Returns: `nil` when nothing is asked for.
    public init?(
        settings: Settings, directory: StateDirectory, log: Logger,
        words: @escaping @Sendable (SessionEvent) -> Notification
    ) {
        memory = EventMemory(directory: directory)
        self.settings = settings.hooks
        socket = settings.socket
        self.log = log
        self.words = words
        (batches, incoming) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waiting))
        guard settings.hooks.isEmpty else { return }
        memory.remove()
        return nil
    }

    /// Begins to look at what the node shows.
    /// - Parameter isLinkExpected: Whether a broker may have more to tell than the journal: it is waited for a little.
    public func watch(_ node: Node, isLinkExpected: Bool) async {
        let found = memory.load(at: await node.groupTime)
        if case .damaged(let reason) = found {
            log.warning("what was told of sessions cannot be read; beginning anew", metadata: ["reason": "\(reason)"])
        }
        let events: SessionEvents? = if case .events(let events) = found { events } else { nil }
        await node.tell(from: events, isLinkExpected: isLinkExpected) { [incoming, log] events, reports, memory in
            let batch = Batch(events: events, reports: reports, memory: memory)
            if case .dropped = incoming.yield(batch) { log.warning("too many session events at once; hooks left out") }
        }
    }

    /// Runs hooks until the task is cancelled; those that run then are ended.
    public func run() async {
        await withDiscardingTaskGroup { group in
            var queues: [HookRun.Queue: AsyncStream<HookRun>.Continuation] = [:]
            for queue in settings.commands.keys.map(HookRun.Queue.hook) + (settings.notifies ? [.notification] : []) {
                let (runs, continuation) = AsyncStream.makeStream(
                    of: HookRun.self, bufferingPolicy: .bufferingOldest(Self.waiting))
                queues[queue] = continuation
                group.addTask { [log] in for await run in runs { await run.carryOut(log) } }
            }
            for await batch in batches {
                write(batch.memory)
                for (event, report) in zip(batch.events, batch.reports) {
                    for run in runs(at: event, report) {
                        if case .dropped = queues[run.queue]?.yield(run) {
                            log.warning(
                                "a hook is left out, too many wait already", metadata: ["event": "\(event.name)"])
                        }
                    }
                }
            }
            for queue in queues.values { queue.finish() }
        }
    }

    private func write(_ events: SessionEvents) {
        do throws(FileError) {
            try memory.write(events)
        } catch {
            log.error(
                "what was told of sessions cannot be written; after a restart hooks may run again",
                metadata: ["reason": "\(error)"])
        }
    }

    private func runs(at event: SessionEvent, _ report: EventReport) -> [HookRun] {
        let environment = HookVariable.environment(
            of: report, socket: socket, inherited: ProcessInfo.processInfo.environment)
        var runs: [HookRun] = []
        if let command = settings.commands[event.name] {
            let process = HookProcess(
                program: "/bin/sh", arguments: ["-c", command], environment: environment,
                input: ReportJSON.encode(report))
            runs.append(HookRun(queue: .hook(event.name), event: event, process: process))
        }
        if settings.notifies {
            let said = words(event)
            let process = HookProcess(
                program: "notify-send",
                arguments: ["--app-name=Lockstep", "--", said.summary, said.body.escapedMarkup],
                environment: environment, input: [])
            runs.append(HookRun(queue: .notification, event: event, process: process))
        }
        return runs
    }
}

extension String {
    /// A notification's body may hold markup, and a title is none.
    fileprivate var escapedMarkup: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
