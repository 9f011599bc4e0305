// SPDX-License-Identifier: Apache-2.0

package import API
import Core
import Mosquitto
import Runtime
import Session
import Settings

/// A watch that detects and reports the session events of a node.
struct EventWatch {
    /// Called on the loop's thread with the events, their reports and the new memory. It must not block.
    typealias Handler = @Sendable ([SessionEvent], [EventReport], SessionEvents) -> Void

    /// How long the first look waits for the broker. The broker's registers show what happened while this node did not
    /// run; the journal may hold an earlier session.
    private static let linkTimeout: Milliseconds = .seconds(5)

    private var events: SessionEvents
    private let handler: Handler
    /// When the wait for the first connection began, by the clock of the loop; `nil` if nothing waits.
    private var linkExpectedSince: BootTime?
    private let timer: LoopTimer

    init(
        events: SessionEvents?, beginningAt groupTime: GroupTime, isLinkExpected: Bool, timer: LoopTimer,
        handler: @escaping Handler
    ) {
        self.events = events ?? SessionEvents(beginningAt: groupTime)
        self.handler = handler
        self.timer = timer
        linkExpectedSince = isLinkExpected ? Clocks.boot() : nil
        if events == nil { handler([], [], self.events) }
    }

    /// Reports what has happened since the last look, and arms the timer for what can happen by time alone.
    mutating func look(at core: NodeCore, now: Instant, groupTime: GroupTime, report: (SessionEvent) -> EventReport) {
        let view = core.view
        let linkDeadline = linkExpectedSince.map { $0 + Self.linkTimeout }
        if let linkDeadline, !view.isLinked, Clocks.boot() < linkDeadline { return timer.arm(at: linkDeadline) }
        guard !core.isCatchingUp else { return }
        linkExpectedSince = nil
        let before = events
        let found = events.look(
            SessionEvents.Look(
                view: view, boot: now.boot, groupTime: groupTime,
                latest: before.shown.flatMap { core.engine.register(of: $0.owner) }))
        if let next = SessionEvents.nextLook(at: view, boot: now.boot) {
            timer.arm(after: next - now.boot)
        } else {
            timer.disarm()
        }
        guard !found.isEmpty || !SessionEvents.isSameMemory(before, events) else { return }
        handler(found, found.map(report), events)
    }
}

extension Node {
    /// Calls `handler` with the session events since `events`, the memory of an earlier process, and with later ones.
    func watchEvents(since events: SessionEvents?, isLinkExpected: Bool, handler: @escaping EventWatch.Handler) {
        eventWatches.append(
            EventWatch(
                events: events, beginningAt: groupTime, isLinkExpected: isLinkExpected,
                timer: loop.makeTimer { [weak self] in self?.assumeIsolated { $0.reportEvents() } }, handler: handler))
        reportEvents()
    }

    /// Calls `handler` with each later session event, on the loop's thread. It must not block.
    package func onEvent(_ handler: @escaping @Sendable (EventReport) -> Void) {
        watchEvents(since: nil, isLinkExpected: true) { _, reports, _ in reports.forEach(handler) }
    }

    func reportEvents() {
        let now = clocks()
        let time = groupTime(at: now)
        for index in eventWatches.indices {
            eventWatches[index].look(at: core, now: now, groupTime: time) { event in
                makeReport(of: event, at: now, groupTime: time)
            }
        }
    }

    private func makeReport(of event: SessionEvent, at now: Instant, groupTime: GroupTime) -> EventReport {
        let then = Instant(boot: event.boot, wall: now.wall + (event.at - groupTime), wallBound: now.wallBound)
        let status = StatusReport(
            view: event.view, moment: event.moment, space: space, node: identity.node, at: then, groupTime: event.at,
            clock: core.engine.clockQuality(at: now), feeds: feeds)
        return EventReport(event: event.name, at: event.at, late: event.isLate, session: status)
    }
}
