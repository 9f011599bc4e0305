// SPDX-License-Identifier: Apache-2.0

/// The current session as a node knows it, until it changes. ``moment(at:)`` computes the countdown of any instant.
public struct View: Hashable, Sendable {
    /// The admitted register with the largest stamp, live or final.
    public var register: Register?
    /// The register's anchor on this node's boot clock.
    public var anchorBoot: BootTime
    /// The largest time since the anchor that was shown. A closer comparison of clocks does not set it back.
    public var shownSinceAnchor: Milliseconds
    /// The largest error of ``anchorBoot``; `nil` if it is unknown.
    public var error: ErrorBound?
    /// When the contact with the owner was lost; `nil` while there is contact.
    public var contactLostAt: BootTime?
    public var isOwner: Bool
    public var isLinked: Bool
    /// The time up to which people have ended the alarms of the session; `nil` if nobody has.
    public var acknowledgedAt: GroupTime?
    /// The text that is on all screens; the engine removes it at its end.
    public var message: ScreenMessage?

    /// Without arguments, the view of a node that knows no session.
    public init(
        register: Register? = nil, anchorBoot: BootTime = 0, shownSinceAnchor: Milliseconds = 0,
        error: ErrorBound? = nil,
        contactLostAt: BootTime? = nil, isOwner: Bool = false, isLinked: Bool = false,
        acknowledgedAt: GroupTime? = nil, message: ScreenMessage? = nil
    ) {
        self.register = register
        self.anchorBoot = anchorBoot
        self.shownSinceAnchor = shownSinceAnchor
        self.error = error
        self.contactLostAt = contactLostAt
        self.isOwner = isOwner
        self.isLinked = isLinked
        self.acknowledgedAt = acknowledgedAt
        self.message = message
    }

    /// Returns the session to show at a reading of the boot clock, if any. A stopped session is not shown; a completed
    /// or superseded one is for ``Limits/completionShown``, a completed one also as long as its alarm waits.
    public func moment(at boot: BootTime) -> Moment? {
        guard let moment = lastMoment(at: boot) else { return nil }
        return moment.isHidden ? nil : moment
    }

    /// Returns the latest session at a reading of the boot clock, however long ago it ended.
    public func lastMoment(at boot: BootTime) -> Moment? {
        guard let register else { return nil }
        let since = max(boot - anchorBoot, shownSinceAnchor)
        let advanced = register.advanced(since: since)
        let moved = advanced.anchor.at - register.anchor.at
        return Moment(
            register: advanced,
            anchorBoot: anchorBoot + moved,
            since: since - moved,
            boot: boot,
            error: error.map { $0.size(at: boot) + since - (boot - anchorBoot) },
            contactLostAt: advanced.status.isLive ? contactLostAt : nil,
            isOwner: isOwner,
            acknowledgedAt: acknowledgedAt
        )
    }
}

extension View {
    /// Keeps a comparison of clocks from setting back a time that was shown. The shown time stands still until the new
    /// one reaches it, if the errors of both explain the difference. A new revision may set it back, and so may any
    /// comparison after an unknown error.
    mutating func keepShownTime(of before: View, at boot: BootTime) {
        guard let register, let earlier = before.register, register.version == earlier.version,
            register.owner == earlier.owner, register.anchor.bootID == earlier.anchor.bootID, let error = before.error
        else { return }
        let counted = boot - before.anchorBoot
        let earlierTime = max(counted, before.shownSinceAnchor)
        let newTime = max(boot - anchorBoot, shownSinceAnchor)
        let errors = error.size(at: boot) + (self.error?.size(at: boot) ?? 0)
        if newTime < earlierTime, earlierTime - newTime <= errors + earlierTime - counted {
            shownSinceAnchor = earlierTime
        }
    }
}

/// The largest error of a reading of another node's clock.
public struct ErrorBound: Hashable, Sendable {
    /// The error at ``at``.
    public var size: Milliseconds
    /// When it was computed, on this node's boot clock; `nil` if it does not grow.
    public var at: BootTime?

    /// Without arguments, the bound 0 of the own clock, which does not grow.
    public init(size: Milliseconds = 0, at: BootTime? = nil) {
        self.size = size
        self.at = at
    }

    /// Returns the bound at a later reading: two clocks drift apart by at most 200 millionths.
    public func size(at boot: BootTime) -> Milliseconds {
        guard let at else { return size }
        let step = 1_000 * ClockEstimate.driftInterval
        return size + Milliseconds(max(0, boot - at + step - 1).count / step.count)
    }
}

/// A session at one instant.
public struct Moment: Hashable, Sendable {
    public var register: Register
    /// The session's anchor on this node's boot clock.
    public var anchorBoot: BootTime
    /// The time since the anchor.
    var since: Milliseconds
    /// The instant, on this node's boot clock.
    public var boot: BootTime
    /// The largest error of the time; `nil` if it is unknown.
    public var error: Milliseconds?
    /// When the contact with the owner of a live session was lost.
    public var contactLostAt: BootTime?
    public var isOwner: Bool
    var acknowledgedAt: GroupTime?

    /// Whether the session is not shown any more.
    var isHidden: Bool {
        switch register.status {
        case .running, .paused, .ready: false
        case .stopped: true
        case .completed, .superseded: boot - anchorBoot >= Limits.completionShown && alarm == nil
        }
    }

    /// The time without contact with the owner, from ``Limits/staleAfter`` on; `nil` before.
    public var staleFor: Milliseconds? {
        contactLostAt.flatMap { boot - $0 >= Limits.staleAfter ? boot - $0 : nil }
    }

    /// Whether the time is shown as approximate.
    public var isApproximate: Bool {
        register.status == .running && error.map { $0 > Limits.exactEnough } ?? true
    }

    /// The time of the current phase that has passed, from 0 to its length.
    public var elapsed: Milliseconds { min(register.passed(since: since), register.currentPhase.length) }
    /// The time that has passed beyond the length of the current phase.
    public var over: Milliseconds { register.passed(since: since) - elapsed }
    /// The time of the current phase that is left.
    public var remaining: Milliseconds { register.currentPhase.length - elapsed }

    /// Whether the current phase goes on although its length has passed.
    public var isInOvertime: Bool { register.mayRunOver && remaining == 0 }

    /// When the running phase ends by itself, on this node's boot clock.
    public var phaseEnd: BootTime { anchorBoot + register.untilEnd }

    /// The seconds on a display: those that remain, rounded up. In a count-up, or beyond the length of a phase, those
    /// that have passed since, rounded down.
    public var shownSeconds: Int {
        switch register.mode {
        case .countdown: isInOvertime ? over.wholeSeconds : Int((remaining.count + 999) / 1_000)
        case .countup: elapsed.wholeSeconds
        }
    }

    /// When time alone next changes what a display shows, on this node's boot clock; `nil` if it does not.
    public var nextChange: BootTime? {
        var changes: [BootTime] = []
        if register.status == .running {
            let rises = register.mode == .countup || remaining == 0
            let untilNextSecond = rises ? 1_000 - (elapsed + over).count % 1_000 : remaining.count % 1_000
            changes.append(boot + Milliseconds(untilNextSecond == 0 ? 1_000 : untilNextSecond))
        }
        if !register.status.isLive, !isHidden {
            changes.append(anchorBoot + Limits.completionShown)
        }
        if let contactLostAt, staleFor == nil { changes.append(contactLostAt + Limits.staleAfter) }
        return changes.min()
    }
}

/// The end of a phase, or of a session, that a person has not acknowledged yet.
public struct Alarm: Hashable, Sendable {
    /// When the phase ended, on this node's boot clock.
    public var boot: BootTime
    public var groupTime: GroupTime
    /// Whether devices ring, for ``Limits/alarmRings``; after that they only show it.
    public var isRinging: Bool
}

extension Moment {
    /// The alarm of this instant, until a person acknowledges it, presses a button of the session or starts another.
    public var alarm: Alarm? {
        guard register.hasAlarm, let end = endOfPhase else { return nil }
        let time = register.anchor.at + end
        let isPressed = register.last.map { $0.at >= time } ?? false
        let isAcknowledged = acknowledgedAt.map { $0 >= time } ?? false  // rule: acknowledged, else: false
        if isPressed || isAcknowledged { return nil }
        let since = boot - anchorBoot - end
        return Alarm(boot: anchorBoot + end, groupTime: time, isRinging: since < Limits.alarmRings)
    }

    /// The time from the anchor to the end of a phase that an alarm can be for; `nil` if there is none. In overtime it
    /// is the instant at which the present phase reached its length.
    private var endOfPhase: Milliseconds? {
        switch register.status {
        // The anchor moves when the owner's machine boots, the run does not.
        case .ready, .completed: (register.runs.last?.to ?? register.anchor.at) - register.anchor.at
        case .running, .paused: isInOvertime ? register.currentPhase.length - register.anchor.passed : nil
        case .stopped, .superseded: nil
        }
    }
}
