// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The standard input of a hook: the session at an event, with the fields of ``StatusReport``, and the event.
package struct EventReport: Hashable, Sendable, Described {
    package var event: EventName
    /// When it happened.
    package var at: GroupTime
    /// Whether the hook runs more than five seconds late, or the node was not running at the event.
    package var late: Bool
    package var session: StatusReport

    package init(event: EventName, at: GroupTime, late: Bool, session: StatusReport) {
        self.event = event
        self.at = at
        self.late = late
        self.session = session
    }

    package static let blank = EventReport(event: .started, at: 0, late: false, session: .blank)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try session.describe(to: &coder)
        try coder.field("event", &event, .word())
        try coder.field("at", &at, .whole())
        try coder.field("late", &late, .bool)
    }
}
