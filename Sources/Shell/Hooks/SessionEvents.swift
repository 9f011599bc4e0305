// SPDX-License-Identifier: Apache-2.0

import Session

/// Finds out what happened to sessions, by comparing what a node shows with what was told of it before.
///
/// Messages play no part: a register that comes twice, or again after a restart, a reconnection or a repair, shows
/// nothing new. What was told is kept in a file (``EventMemory``), so that this holds beyond the process, and what
/// happened while there was none is found at the next look. A session that began before the first look ever is
/// taken as it stands.
struct SessionEvents: Hashable, Sendable {
    /// Sessions that are remembered; what began before the oldest of them is never told.
    static let kept = 32
    /// Told later than this many milliseconds an event is late.
    static let lateAfter: Int64 = 5_000

    /// Sessions that began before this group time and are not known are taken as they stand.
    private(set) var since: Int64
    /// The sessions that were told of, the one shown last at the end.
    private(set) var known: [KnownSession]
    /// The last live register that was shown.
    private(set) var shown: Register?
    /// When this process began, in group time: what happened before is late.
    private var began: Int64

    /// Begins without a memory.
    /// - Parameter groupTime: Now, in milliseconds since 1970.
    init(beginningAt groupTime: Int64) {
        self.init(since: groupTime, known: [], shown: nil, beginningAt: groupTime)
    }

    init(since: Int64, known: [KnownSession], shown: Register?, beginningAt groupTime: Int64) {
        self.since = since
        self.known = known.suffix(Self.kept)
        self.shown = shown
        began = groupTime
    }

    /// What is to be kept beyond the process.
    static func isSameMemory(_ a: SessionEvents, _ b: SessionEvents) -> Bool {
        a.since == b.since && a.known == b.known && a.shown == b.shown
    }

    /// One look at what the node shows.
    struct Look {
        var view: View
        /// This node's boot clock, in milliseconds.
        var boot: Int64
        /// The same moment in group time.
        var groupTime: Int64
        /// The register that the owner of ``SessionEvents/shown`` has now, as far as it is known here.
        var latest: Register?
    }

    /// When there may be something new by time alone, on this node's boot clock: a phase ends, or 30 seconds without
    /// contact are over; `nil` while nothing can happen by itself.
    static func nextLook(at view: View, boot: Int64) -> Int64? {
        guard let moment = view.lastMoment(at: boot), moment.register.status.isLive else { return nil }
        let boundary = moment.register.status == .running ? boot + max(moment.remaining, 1) : nil
        let stale = moment.staleFor == nil ? moment.contactLostAt.map { $0 + Limits.staleAfter } : nil
        return [boundary, stale].compactMap(\.self).min()
    }

    /// Looks, and remembers what it tells.
    /// - Returns: What has happened since the last look, oldest first.
    mutating func look(_ look: Look) -> [SessionEvent] {
        // A clock that was ahead would keep everything quiet until its time has come.
        since = min(since, look.groupTime)
        began = min(began, look.groupTime)
        guard let moment = look.view.lastMoment(at: look.boot) else { return [] }
        let register = moment.register
        var events: [SessionEvent] = []
        if let index = known.firstIndex(where: { $0.lineage == register.lineage.rawValue }) {
            guard known[index].isNews(register) else { return [] }
            var session = known.remove(at: index)
            if session.isTakeover(register), session.isOwn, !moment.isOwner, session.status.isLive {
                events += lost(to: register, look)
            }
            session.follow(register, isOwn: moment.isOwner)
            events += differences(&session, register, look, lead: moment.anchorBoot - register.anchor.at)
            events += staleness(&session, moment, look)
            remember(session)
        } else if register.startedAt < since {
            var session = KnownSession(register, isOwn: moment.isOwner)
            session.take(register)
            session.isStale = moment.staleFor != nil
            remember(session)
        } else {
            events += endOfShown(by: register, look)
            var session = KnownSession(register, isOwn: moment.isOwner)
            let lead = moment.anchorBoot - register.anchor.at
            events.append(
                event(.started, at: register.startedAt, register.entering(0) ?? register, look, lead: lead))
            events += differences(&session, register, look, lead: lead)
            events += staleness(&session, moment, look)
            remember(session)
        }
        if register.status.isLive { shown = look.view.register }
        return events
    }

    private mutating func remember(_ session: KnownSession) {
        known.append(session)
        guard known.count > Self.kept else { return }
        since = max(since, known.removeFirst().startedAt + 1)
    }

    // MARK: What happened

    private func differences(
        _ session: inout KnownSession, _ register: Register, _ look: Look, lead: Int64
    ) -> [SessionEvent] {
        let before = session
        session.take(register)
        guard !before.isOver else { return [] }
        var events: [SessionEvent] = []
        func tell(_ name: SessionEvent.Name, at: Int64, _ state: Register) {
            events.append(event(name, at: at, state, look, lead: lead, isOwner: session.isOwn))
        }
        if register.phase > before.phase {
            for index in (before.phase + 1)...register.phase {
                if index == register.phase, register.status == .ready {
                    tell(.phase, at: register.statusBeganAt, register)
                } else if let entered = register.entering(index) {
                    tell(.phase, at: entered.anchor.at, entered)
                }
            }
        }
        let isSamePhase = register.phase <= before.phase
        switch register.status {
        case .running:
            if isSamePhase, before.status == .paused || before.status == .ready {
                tell(.resumed, at: register.statusBeganAt, register)
            }
        case .paused:
            if before.status.isLive, before.status != .paused || !isSamePhase {
                tell(.paused, at: register.statusBeganAt, register)
            }
        case .ready: break
        case .completed: tell(.completed, at: register.statusBeganAt, register)
        case .stopped: tell(.stopped, at: register.statusBeganAt, register)
        case .superseded:
            if before.status != .superseded { tell(.superseded, at: register.statusBeganAt, register) }
        }
        return events
    }

    /// A new session is there: the one before it has ended, by itself or by this start.
    private mutating func endOfShown(by winner: Register, _ look: Look) -> [SessionEvent] {
        defer {
            for index in known.indices where known[index].status.isLive { known[index].status = .superseded }
        }
        guard let shown, let index = known.firstIndex(where: { $0.lineage == shown.lineage.rawValue }),
            known[index].status.isLive
        else { return [] }
        var session = known[index]
        var last = shown
        if let latest = look.latest, latest.lineage == shown.lineage, session.isNews(latest) { last = latest }
        let superseder = Superseder(session: winner.id, node: winner.owner, at: winner.startedAt)
        let events = differences(
            &session, last.ended(by: superseder), look, lead: look.boot - look.groupTime)
        known[index] = session
        return events
    }

    /// Another node goes on with this node's session.
    private func lost(to register: Register, _ look: Look) -> [SessionEvent] {
        let at = register.continues?.at ?? look.groupTime
        let own = shown?.lineage == register.lineage ? shown : nil
        let superseder = Superseder(session: register.id, node: register.owner, at: at)
        let ended = own?.ended(by: superseder) ?? register
        var event = event(.superseded, at: at, ended, look, lead: look.boot - look.groupTime, isOwner: true)
        event.isTakeover = true
        return [event]
    }

    private func staleness(_ session: inout KnownSession, _ moment: Moment, _ look: Look) -> [SessionEvent] {
        guard let lostAt = look.view.contactLostAt else {
            session.isStale = false
            return []
        }
        guard moment.staleFor != nil, !session.isStale else { return [] }
        session.isStale = true
        let lead = moment.anchorBoot - moment.register.anchor.at
        let at = lostAt + Limits.staleAfter - lead
        return [event(.stale, at: at, moment.register, look, lead: lead, contactLostAt: lostAt)]
    }

    private func event(
        _ name: SessionEvent.Name, at: Int64, _ register: Register, _ look: Look, lead: Int64, isOwner: Bool? = nil,
        contactLostAt: Int64? = nil
    ) -> SessionEvent {
        SessionEvent(
            name: name, at: at, isLate: look.groupTime - at > Self.lateAfter || at < began, register: register,
            isOwner: isOwner ?? look.view.isOwner, isLinked: look.view.isLinked, contactLostAt: contactLostAt,
            bootLead: lead)
    }
}
