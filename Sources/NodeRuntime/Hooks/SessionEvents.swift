// SPDX-License-Identifier: Apache-2.0

import API
import Session

/// The detector of session events: it compares what a node shows with what was reported before.
///
/// It does not depend on messages: a register that arrives again, after a restart, a reconnection or a repair, shows
/// nothing new. ``EventMemory`` stores what was reported, so that events while the node did not run are detected at the
/// next look. For a session that started before the first look, only later changes are reported.
struct SessionEvents: Hashable, Sendable {
    /// The number of sessions that are remembered; older ones are never reported.
    static let knownLimit = 32
    /// An event is late if it is reported this much after it happened.
    static let lateAfter: Milliseconds = .seconds(5)

    /// The start of an unknown session is reported only if it is at or after this time.
    private(set) var since: GroupTime
    /// The reported sessions, the last shown one at the end.
    private(set) var known: [KnownSession]
    /// The last shown live register.
    private(set) var shown: Register?
    /// The start of this process; earlier events are late.
    private var began: GroupTime

    init(
        since: GroupTime? = nil, known: [KnownSession] = [], shown: Register? = nil, beginningAt groupTime: GroupTime
    ) {
        self.since = since ?? groupTime
        self.known = known.suffix(Self.knownLimit)
        self.shown = shown
        began = groupTime
    }

    /// Returns whether both have the same stored content.
    static func isSameMemory(_ a: SessionEvents, _ b: SessionEvents) -> Bool {
        a.since == b.since && a.known == b.known && a.shown == b.shown
    }

    /// The session that a node shows at one time.
    struct Look {
        var view: View
        var boot: BootTime
        var groupTime: GroupTime
        /// The latest known register of the owner of ``SessionEvents/shown``.
        var latest: Register?

        fileprivate var lead: Lead { Lead(of: groupTime, over: boot) }
    }

    /// Returns when the next event can happen by time alone. It is the end of a phase or of its length, or 30 seconds
    /// without contact.
    static func nextLook(at view: View, boot: BootTime) -> BootTime? {
        guard let moment = view.lastMoment(at: boot), moment.register.status.isLive else { return nil }
        let end = moment.isInOvertime ? moment.phaseEnd : boot + moment.remaining
        let boundary = moment.register.status == .running ? max(end, boot + 1) : nil
        let stale = moment.staleFor == nil ? moment.contactLostAt.map { $0 + Limits.staleAfter } : nil
        return [boundary, stale].compactMap(\.self).min()
    }

    /// Detects the events since the last look, and remembers them, oldest first.
    mutating func look(_ look: Look) -> [SessionEvent] {
        // A clock that was ahead would suppress all events until its time is reached.
        since = min(since, look.groupTime)
        began = min(began, look.groupTime)
        guard let moment = look.view.lastMoment(at: look.boot) else { return [] }
        let register = moment.register
        let lead = Lead(of: register.anchor.at, over: moment.anchorBoot)
        var events: [SessionEvent] = []
        var session = KnownSession(register, isOwn: moment.isOwner)
        if let index = known.firstIndex(where: { $0.lineage == register.lineage }) {
            guard known[index].isNews(register) else { return [] }
            session = known.remove(at: index)
            if register.id != session.session, session.isOwn, !moment.isOwner, session.status.isLive {
                events += lost(to: register, look)
            }
            session.show(register, isOwn: moment.isOwner)
        } else if register.startedAt < since {
            session.alarm = moment.alarm?.groupTime
            session.markReported(register)
            session.isStale = moment.staleFor != nil
        } else {
            events += endOfShown(by: register, look)
            events.append(
                event(.started, at: register.startedAt, register.entering(0) ?? register, look, lead: lead))
        }
        events += differences(&session, register, look, lead: lead)
        events += staleness(&session, moment, look, lead: lead) + alarm(&session, moment, look, lead: lead)
        remember(session)
        if register.status.isLive { shown = look.view.register }
        return events
    }

    private mutating func remember(_ session: KnownSession) {
        known.append(session)
        guard known.count > Self.knownLimit else { return }
        since = max(since, known.removeFirst().startedAt + 1)
    }

    // MARK: Events

    /// Marks a register as reported, and returns the events between it and what was reported before.
    private func differences(
        _ session: inout KnownSession, _ register: Register, _ look: Look, lead: Lead
    ) -> [SessionEvent] {
        let before = session
        session.markReported(register)
        guard !before.hasEnded else { return [] }
        var events: [SessionEvent] = []
        func add(_ name: EventName, at: GroupTime, _ state: Register) {
            events.append(event(name, at: at, state, look, lead: lead, isOwner: session.isOwn))
        }
        if register.phase > before.phase {
            for index in (before.phase + 1)...register.phase {
                if index == register.phase, register.status == .ready {
                    add(.phase, at: register.statusBeganAt, register)
                } else if let entered = register.entering(index) {
                    add(.phase, at: entered.anchor.at, entered)
                }
            }
        }
        let isSamePhase = register.phase <= before.phase
        switch register.status {
        case .running:
            if isSamePhase, before.status == .paused || before.status == .ready {
                add(.resumed, at: register.statusBeganAt, register)
            }
        case .paused:
            if before.status.isLive, before.status != .paused || !isSamePhase {
                add(.paused, at: register.statusBeganAt, register)
            }
        case .ready: break
        case .completed: add(.completed, at: register.statusBeganAt, register)
        case .stopped: add(.stopped, at: register.statusBeganAt, register)
        case .superseded:
            if before.status != .superseded { add(.superseded, at: register.statusBeganAt, register) }
        }
        return events
    }

    private mutating func endOfShown(by winner: Register, _ look: Look) -> [SessionEvent] {
        defer {
            for index in known.indices where known[index].status.isLive { known[index].status = .superseded }
        }
        guard let shown, let index = known.firstIndex(where: { $0.lineage == shown.lineage }),
            known[index].status.isLive
        else { return [] }
        var session = known[index]
        var last = shown
        if let latest = look.latest, latest.lineage == shown.lineage, session.isNews(latest) { last = latest }
        let superseder = Superseder(session: winner.id, node: winner.owner, at: winner.startedAt)
        let events = differences(
            &session, last.ended(by: superseder), look, lead: look.lead)
        known[index] = session
        return events
    }

    /// Returns the event of another node taking this node's session over.
    private func lost(to register: Register, _ look: Look) -> [SessionEvent] {
        let at = register.continues?.at ?? look.groupTime
        let own = shown?.lineage == register.lineage ? shown : nil
        let superseder = Superseder(session: register.id, node: register.owner, at: at)
        let ended = own?.ended(by: superseder) ?? register
        var event = event(.superseded, at: at, ended, look, lead: look.lead, isOwner: true)
        event.isTakeover = true
        return [event]
    }

    private func staleness(
        _ session: inout KnownSession, _ moment: Moment, _ look: Look, lead: Lead
    ) -> [SessionEvent] {
        guard let lostAt = look.view.contactLostAt else {
            session.isStale = false
            return []
        }
        guard moment.staleFor != nil, !session.isStale else { return [] }
        session.isStale = true
        let at = lostAt + Limits.staleAfter + lead
        return [event(.stale, at: at, moment.register, look, lead: lead, contactLostAt: lostAt)]
    }

    /// Returns the event of an alarm that begins to ring; none for an alarm that is noticed late.
    private func alarm(
        _ session: inout KnownSession, _ moment: Moment, _ look: Look, lead: Lead
    ) -> [SessionEvent] {
        guard let alarm = moment.alarm, session.alarm.map({ $0 < alarm.groupTime }) ?? true else { return [] }
        session.alarm = alarm.groupTime
        guard look.boot - alarm.boot < Limits.alarmNewFor else { return [] }
        var event = event(.alarm, at: alarm.groupTime, moment.register, look, lead: lead)
        event.isLate = false
        return [event]
    }

    private func event(
        _ name: EventName, at: GroupTime, _ register: Register, _ look: Look, lead: Lead, isOwner: Bool? = nil,
        contactLostAt: BootTime? = nil
    ) -> SessionEvent {
        SessionEvent(
            name: name, at: at, isLate: look.groupTime - at > Self.lateAfter || at < began, register: register,
            isOwner: isOwner ?? look.view.isOwner, isLinked: look.view.isLinked, contactLostAt: contactLostAt,
            lead: lead)
    }
}
