// SPDX-License-Identifier: Apache-2.0

/// An event of a session, for hooks, notifications and the event entity of Home Assistant.
package enum EventName: String, CaseIterable, Sendable {
    case started
    /// Its time was frozen.
    case paused
    /// Its time passes again: after a pause, or because a phase that was `ready` has started.
    case resumed
    /// It came to its next phase, which runs or waits.
    case phase
    /// Its plan came to the end.
    case completed
    /// A person ended it.
    case stopped
    /// A later start ended it; at a node that owned it, also: another node has taken it over.
    case superseded
    /// There has been no contact with its owner for 30 seconds.
    case stale
    /// Its alarm begins to ring here.
    case alarm
}
