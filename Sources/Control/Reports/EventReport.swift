// SPDX-License-Identifier: Apache-2.0

/// The standard input of a hook: the session at an event, with the fields of ``StatusReport``, and the event.
package struct EventReport: Encodable, Hashable, Sendable {
    /// started, paused, resumed, phase, completed, stopped, superseded or stale.
    package var event: String
    /// When it happened, in milliseconds of group time.
    package var at: Int64
    /// Whether the hook runs more than five seconds late, or the node was not running at the event.
    package var late: Bool
    /// The session.
    package var session: StatusReport

    package init(event: String, at: Int64, late: Bool, session: StatusReport) {
        self.event = event
        self.at = at
        self.late = late
        self.session = session
    }

    private enum CodingKeys: String, CodingKey {
        case event, at, late
    }

    /// Writes the fields of both side by side.
    package func encode(to encoder: any Encoder) throws {
        try session.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(event, forKey: .event)
        try fields.encode(at, forKey: .at)
        try fields.encode(late, forKey: .late)
    }
}
