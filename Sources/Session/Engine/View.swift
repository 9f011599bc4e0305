// SPDX-License-Identifier: Apache-2.0

/// The current session as a node knows it: all that displays need until it changes.
///
/// It contains no countdown; ``moment(at:)`` computes one for any instant.
public struct View: Hashable, Sendable {
    /// The admitted register with the largest stamp, live or final.
    public var register: Register?
    /// The register's anchor on this node's boot clock, in milliseconds.
    public var anchorBoot: Int64
    /// The largest time that was shown, in milliseconds since the anchor. A closer comparison of clocks does not set it back.
    public var shown: Int64
    /// The largest error of ``anchorBoot``; `nil` if it is unknown.
    public var error: ErrorBound?
    /// When the contact with the owner was lost, on the boot clock; `nil` while there is contact.
    public var contactLostAt: Int64?
    /// Whether this node owns the session.
    public var isOwner: Bool
    /// Whether this node is connected to the broker.
    public var isLinked: Bool

    /// Without arguments, the view of a node that knows no session.
    public init(
        register: Register? = nil, anchorBoot: Int64 = 0, shown: Int64 = 0, error: ErrorBound? = nil,
        contactLostAt: Int64? = nil, isOwner: Bool = false, isLinked: Bool = false
    ) {
        self.register = register
        self.anchorBoot = anchorBoot
        self.shown = shown
        self.error = error
        self.contactLostAt = contactLostAt
        self.isOwner = isOwner
        self.isLinked = isLinked
    }

    /// Returns the session to show at a reading of the boot clock in milliseconds, if any.
    ///
    /// A stopped session is not shown; a completed or superseded one is for ``Limits/completionShown``.
    public func moment(at boot: Int64) -> Moment? {
        guard let moment = lastMoment(at: boot) else { return nil }
        return moment.isOver ? nil : moment
    }

    /// Returns the latest session at a reading of the boot clock, however long ago it ended.
    public func lastMoment(at boot: Int64) -> Moment? {
        guard let register else { return nil }
        let since = max(boot - anchorBoot, shown)
        let now = register.advanced(since: since)
        let moved = now.anchor.at - register.anchor.at
        return Moment(
            register: now,
            anchorBoot: anchorBoot + moved,
            since: since - moved,
            boot: boot,
            error: error.map { $0.milliseconds(at: boot) + since - (boot - anchorBoot) },
            contactLostAt: now.status.isLive ? contactLostAt : nil,
            isOwner: isOwner
        )
    }
}

extension View {
    /// Keeps a comparison of clocks from setting back a time that was shown.
    ///
    /// The time stands still until it is reached. It may go back with a new revision, or if the error of the time that
    /// was shown was unknown.
    mutating func keepShownTime(of before: View, at boot: Int64) {
        guard let register, let earlier = before.register, register.version == earlier.version,
            register.owner == earlier.owner, register.anchor.bootID == earlier.anchor.bootID, let error = before.error
        else { return }
        let counted = boot - before.anchorBoot
        let was = max(counted, before.shown)
        let now = max(boot - anchorBoot, shown)
        if now < was, was - now <= error.milliseconds(at: boot) + was - counted { shown = was }
    }
}

/// The largest error of a reading of another node's clock.
public struct ErrorBound: Hashable, Sendable {
    /// The error in milliseconds at ``at``.
    public var milliseconds: Int64
    /// When it was computed, on this node's boot clock in milliseconds; `nil` if it does not grow.
    public var at: Int64?

    /// Without arguments, the bound 0 of the own clock, which does not grow.
    public init(milliseconds: Int64 = 0, at: Int64? = nil) {
        self.milliseconds = milliseconds
        self.at = at
    }

    /// Returns the bound in milliseconds at a later reading: two clocks drift apart by at most 200 millionths.
    public func milliseconds(at boot: Int64) -> Int64 {
        guard let at else { return milliseconds }
        let step = 1_000 * ClockEstimate.driftMilliseconds
        return milliseconds + max(0, boot - at + step - 1) / step
    }
}

/// A session at one instant.
public struct Moment: Hashable, Sendable {
    /// The register, advanced to the instant.
    public var register: Register
    /// Its anchor on this node's boot clock, in milliseconds.
    public var anchorBoot: Int64
    /// Milliseconds since the anchor.
    var since: Int64
    /// The instant, on this node's boot clock.
    public var boot: Int64
    /// The largest error of the time in milliseconds; `nil` if it is unknown.
    public var error: Int64?
    /// When the contact with the owner of a live session was lost, on the boot clock.
    public var contactLostAt: Int64?
    /// Whether this node owns the session.
    public var isOwner: Bool

    /// Whether the session is no longer shown.
    var isOver: Bool {
        switch register.status {
        case .running, .paused, .ready: false
        case .stopped: true
        case .completed, .superseded: boot - anchorBoot >= Limits.completionShown
        }
    }

    /// Milliseconds without contact with the owner, from ``Limits/staleAfter`` on; `nil` before.
    public var staleFor: Int64? {
        contactLostAt.flatMap { boot - $0 >= Limits.staleAfter ? boot - $0 : nil }
    }

    /// Whether the time is shown as approximate.
    public var isApproximate: Bool {
        register.status == .running && error.map { $0 > Limits.exactEnough } ?? true
    }

    /// Milliseconds of the current phase that have passed, from 0 to its length.
    public var elapsed: Int64 { register.elapsed(since: since) }

    /// Milliseconds of the current phase that are left.
    public var remaining: Int64 { register.currentPhase.length - elapsed }

    /// The number on a display: the remaining seconds rounded up.
    ///
    /// Of a count-up it is the seconds that have passed, rounded down.
    public var shownSeconds: Int {
        switch register.mode {
        case .countdown: Int((remaining + 999) / 1_000)
        case .countup: Int(elapsed / 1_000)
        }
    }

    /// When time alone next changes what a display shows, on this node's boot clock; `nil` if it does not.
    public var nextChange: Int64? {
        var changes: [Int64] = []
        if register.status == .running {
            let into = register.mode == .countdown ? remaining % 1_000 : 1_000 - elapsed % 1_000
            changes.append(boot + (into == 0 ? 1_000 : into))
        }
        if !register.status.isLive, !isOver {
            changes.append(anchorBoot + Limits.completionShown)
        }
        if let contactLostAt, staleFor == nil { changes.append(contactLostAt + Limits.staleAfter) }
        return changes.min()
    }
}
