// SPDX-License-Identifier: Apache-2.0

package import Session
package import Setup

/// An event of a session that hooks, notifications and sounds report.
package struct SessionEvent: Hashable, Sendable {
    package var name: EventName
    /// When, in milliseconds of group time.
    package var at: Int64
    /// Whether it is reported more than five seconds later, or happened before the node started.
    package var isLate: Bool
    /// The session at the event.
    package var register: Register
    /// Whether this node owned it.
    package var isOwner: Bool
    /// For ``EventName/superseded``: whether another node has taken the session over.
    package var isTakeover = false
    /// Whether this node was connected to the broker when it noticed.
    var isLinked: Bool
    /// Since when there has been no contact with the owner, on this node's boot clock; `nil` while there is.
    var contactLostAt: Int64?
    /// The boot clock minus group time, in milliseconds.
    var bootLead: Int64

    /// The event on this node's boot clock, in milliseconds.
    package var boot: Int64 { at + bootLead }

    /// The state that a display would have shown at the event.
    var moment: Moment? { view.lastMoment(at: boot) }

    /// The view at the event, from which displays draw.
    package var view: View {
        View(
            register: register, anchorBoot: register.anchor.at + bootLead, error: ErrorBound(),
            contactLostAt: contactLostAt, isOwner: isOwner, isLinked: isLinked)
    }
}
