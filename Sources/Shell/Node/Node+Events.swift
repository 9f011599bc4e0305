// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Session
import Wire

/// A node that tells of session events.
extension Node {
    /// How long the broker is waited for before the first look, in milliseconds: what happened while there was no node
    /// here stands in its registers, and the journal may hold an earlier session.
    private static let linkPatience: Int64 = 5_000

    /// Called on the loop's thread; it must not wait.
    typealias EventHandler = @Sendable ([SessionEvent], [EventReport], SessionEvents) -> Void

    /// Who is told of session events, and how far that has come.
    struct EventWatch {
        var events: SessionEvents
        var handler: EventHandler
        /// Until when a first connection is waited for, on the boot clock of the loop.
        var linkExpectedUntil: Int64?
        var timer: LoopTimer
    }

    /// Calls `handler` with what happens from here on, and what has happened since `events` was kept.
    /// - Parameter events: What was told by an earlier process; `nil` when nothing ever was.
    func tell(from events: SessionEvents?, isLinkExpected: Bool, handler: @escaping EventHandler) {
        let time = groupTime
        eventWatch = EventWatch(
            events: events ?? SessionEvents(beginningAt: time), handler: handler,
            linkExpectedUntil: isLinkExpected ? EventLoop.bootMilliseconds() + Self.linkPatience : nil,
            timer: loop.makeTimer { [weak self] in self?.assumeIsolated { $0.lookForEvents(at: $0.view) } })
        if events == nil, let memory = eventWatch?.events { handler([], [], memory) }
        lookForEvents(at: view)
    }

    func lookForEvents(at view: View) {
        guard var watch = eventWatch else { return }
        if let until = watch.linkExpectedUntil, !view.isLinked, EventLoop.bootMilliseconds() < until {
            return watch.timer.arm(atBootMilliseconds: until)
        }
        // The look comes when all is there.
        guard !isCatchingUp else { return }
        watch.linkExpectedUntil = nil
        let now = clocks()
        let time = groupTime(at: now)
        let before = watch.events
        let look = SessionEvents.Look(
            view: view, boot: now.boot, groupTime: time, latest: before.shown.flatMap { register(of: $0.owner) })
        let found = watch.events.look(look)
        eventWatch = watch
        if let next = SessionEvents.nextLook(at: view, boot: now.boot) {
            watch.timer.arm(atBootMilliseconds: next - now.boot + EventLoop.bootMilliseconds())
        } else {
            watch.timer.disarm()
        }
        guard !found.isEmpty || !SessionEvents.isSameMemory(before, watch.events) else { return }
        watch.handler(found, found.map { report($0, at: now, groupTime: time) }, watch.events)
    }

    private func report(_ event: SessionEvent, at now: Instant, groupTime: Int64) -> EventReport {
        let then = Instant(boot: event.boot, wall: event.at + now.wall - groupTime, wallBound: now.wallBound)
        let status = StatusReport(
            moment: event.moment, of: event.view, space: space, node: identity.node, at: then, groupTime: event.at,
            clock: clockQuality(at: now, groupTime: groupTime), feeds: feeds)
        return EventReport(event: event.name.rawValue, at: event.at, late: event.isLate, session: status)
    }
}
