// SPDX-License-Identifier: Apache-2.0

/// What a node knows of the current session: enough for every face, until something changes.
///
/// A view holds no countdown. ``moment(at:)`` reads one off at any instant.
public struct View: Hashable, Sendable {
    /// The admitted register with the largest stamp, live or final.
    public var register: Register?
    /// The register's anchor on this node's boot clock, in milliseconds.
    public var anchorBoot: Int64
    /// Milliseconds since the anchor that were shown already, before the clocks were compared more closely.
    public var shown: Int64
    /// By how much ``anchorBoot`` is wrong at most; `nil` when nobody can tell.
    public var error: ErrorBound?
    /// Since when this node has had no contact with the owner, on its boot clock; `nil` while it has.
    public var contactLostAt: Int64?
    /// Whether this node owns the session.
    public var isOwner: Bool
    /// Whether this node is connected to the broker.
    public var isLinked: Bool

    /// Makes a view.
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

    /// The session as it stands when this node's boot clock reads `boot`; `nil` when idle: no session, or one that
    /// is over. A stop ends it at once; a completion, or the loss to a later start, stays ``Limits/completionShown``.
    public func moment(at boot: Int64) -> Moment? {
        guard let moment = lastMoment(at: boot) else { return nil }
        return moment.isOver ? nil : moment
    }

    /// The same, but an ended session never goes away.
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
    /// What was shown by an earlier comparison of clocks is not taken back: a time stands still until it is caught up
    /// with. Unless it was a guess of which nobody could tell how wrong it was, or there is a new revision.
    mutating func stand(still before: View, at boot: Int64) {
        guard let register, let earlier = before.register, register.version == earlier.version,
            register.owner == earlier.owner, register.anchor.bootID == earlier.anchor.bootID, let error = before.error
        else { return }
        let counted = boot - before.anchorBoot
        let was = max(counted, before.shown)
        let now = max(boot - anchorBoot, shown)
        if now < was, was - now <= error.milliseconds(at: boot) + was - counted { shown = was }
    }
}

/// How wrong a reading of another node's clock can be.
public struct ErrorBound: Hashable, Sendable {
    /// By how many milliseconds at most, when it was found.
    public var milliseconds: Int64
    /// When that was, on this node's boot clock; `nil` when it does not grow.
    public var at: Int64?

    /// A bound found at a reading of the boot clock; none at all without arguments.
    public init(milliseconds: Int64 = 0, at: Int64? = nil) {
        self.milliseconds = milliseconds
        self.at = at
    }

    /// The bound at a later reading: two clocks drift apart by at most 200 millionths.
    public func milliseconds(at boot: Int64) -> Int64 {
        milliseconds + (at.map { max(0, boot - $0 + 4_999) / 5_000 } ?? 0)
    }
}

/// A session at one instant.
public struct Moment: Hashable, Sendable {
    /// The register, advanced by date.
    public var register: Register
    /// Its anchor on this node's boot clock, in milliseconds.
    public var anchorBoot: Int64
    /// Milliseconds since the anchor.
    var since: Int64
    /// The instant, on this node's boot clock.
    public var boot: Int64
    /// By how many milliseconds the time is wrong at most; `nil` when nobody can tell.
    public var error: Int64?
    /// Since when there is no contact with the owner of a live session, on this node's boot clock.
    public var contactLostAt: Int64?
    /// Whether this node owns the session.
    public var isOwner: Bool

    /// Whether there is nothing to show any more.
    var isOver: Bool {
        switch register.status {
        case .running, .paused, .ready: false
        case .stopped: true
        case .completed, .superseded: boot - anchorBoot >= Limits.completionShown
        }
    }

    /// For how many milliseconds there has been no contact with the owner, once that makes the display stale.
    public var staleFor: Int64? {
        contactLostAt.flatMap { boot - $0 >= Limits.staleAfter ? boot - $0 : nil }
    }

    /// Whether the time is shown as approximate.
    public var isApproximate: Bool {
        register.status == .running && error.map { $0 > Limits.exactEnough } ?? true
    }

    /// Milliseconds of the current phase that have passed, never more than its length.
    public var elapsed: Int64 { register.elapsed(since: since) }

    /// Milliseconds of the current phase that are left.
    public var remaining: Int64 { register.currentPhase.length - elapsed }

    /// What a display shows: the ceiling of the remaining seconds, or the floor of the elapsed ones of a count-up.
    public var shownSeconds: Int {
        switch register.mode {
        case .countdown: Int((remaining + 999) / 1_000)
        case .countup: Int(elapsed / 1_000)
        }
    }

    /// When ``shownSeconds`` changes next on this node's boot clock, or the picture for another reason of time alone;
    /// `nil` when it never does by itself.
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
