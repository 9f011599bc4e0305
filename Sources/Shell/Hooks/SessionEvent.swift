// SPDX-License-Identifier: Apache-2.0

public import Session

/// Something that happened to a session and that a person may want to be told.
public struct SessionEvent: Hashable, Sendable {
    /// What happened.
    public enum Name: String, CaseIterable, Sendable {
        /// The session began.
        case started
        /// Its time was frozen.
        case paused
        /// Its time passes again: after a pause, or because a phase that was `ready` was begun.
        case resumed
        /// It came to its next phase, which runs or waits.
        case phase
        /// Its plan came to the end.
        case completed
        /// A person ended it.
        case stopped
        /// A later start ended it; at a node that owned it, also that another one has taken it over.
        case superseded
        /// There has been no contact with its owner for 30 seconds.
        case stale
    }

    /// What happened.
    public var name: Name
    /// When, in milliseconds of group time.
    public var at: Int64
    /// Whether it is told more than five seconds later, or the node was not there.
    public var isLate: Bool
    /// The session as it stood then.
    public var register: Register
    /// Whether this node owned it.
    public var isOwner: Bool
    /// Of ``Name/superseded``: whether another node goes on with the session, and no later start has ended it.
    public var isTakeover = false
    /// Whether this node was connected to the broker when it noticed.
    var isLinked: Bool
    /// Since when there was no contact with the owner, on this node's boot clock; `nil` where there was.
    var contactLostAt: Int64?
    /// What the boot clock reads beyond group time, in milliseconds.
    var bootLead: Int64

    /// The event on this node's boot clock, in milliseconds.
    public var boot: Int64 { at + bootLead }

    /// What a display would have shown at the event.
    var moment: Moment? { view.lastMoment(at: boot) }

    /// What a display draws that moment from.
    public var view: View {
        View(
            register: register, anchorBoot: register.anchor.at + bootLead, error: ErrorBound(),
            contactLostAt: contactLostAt, isOwner: isOwner, isLinked: isLinked)
    }
}
