// SPDX-License-Identifier: Apache-2.0

package import API
package import Session

/// An event of a session that hooks, notifications and sounds report.
package struct SessionEvent: Hashable, Sendable {
    package var name: EventName
    package var at: GroupTime
    /// Whether it is reported more than five seconds after it happened, or happened before the node started. `false`
    /// for an alarm, since a late one is not reported.
    package var isLate: Bool
    package var register: Register
    package var isOwner: Bool
    /// For ``EventName/superseded``: whether another node has taken the session over.
    package var isTakeover = false
    /// Whether this node was connected to the broker when it noticed.
    var isLinked: Bool
    /// Since when there has been no contact with the owner; `nil` while there is.
    var contactLostAt: BootTime?
    /// Group time minus the boot clock at the event.
    var lead: Lead

    /// The time of the event on this node's boot clock.
    package var boot: BootTime { at - lead }

    /// The state that a display would have shown at the event.
    var moment: Moment? { view.lastMoment(at: boot) }

    package var view: View {
        View(
            register: register, anchorBoot: register.anchor.at - lead, error: ErrorBound(),
            contactLostAt: contactLostAt, isOwner: isOwner, isLinked: isLinked)
    }
}
