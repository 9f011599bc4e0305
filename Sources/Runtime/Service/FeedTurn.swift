// SPDX-License-Identifier: Apache-2.0

import Session

/// Whether a service publishes its feed in a space, or stands by for another service that does. The feed itself names
/// the service that wrote it. Pings tell if that service is there, so that a short loss of its connection changes
/// nothing. `PlainTurn` relies on a will instead, which the readers of plain topics need.
struct FeedTurn: Sendable {
    /// The time between two pings to the other service.
    static let interval: Milliseconds = .seconds(5)
    /// The number of pings in a row without an answer after which the other service is gone. The protocol states it.
    /// With three, a restart of the broker does not change which service publishes.
    private static let unansweredLimit = 3

    let me: NodeID
    /// Services that shared this one's database before. The broker may still keep a feed of theirs, but they do not
    /// serve, since this service has the lock of the database.
    private let former: Set<NodeID>
    /// Whether the feed that the broker kept is known.
    private var hasBegun = false
    private(set) var serves = false
    /// The other service that publishes the feed, and is not known to be gone.
    private(set) var other: NodeID?
    /// Whether a feed of this service has reached the broker.
    private var hasWritten = false
    private var askedAt: BootTime?
    private var unanswered = 0

    init(_ me: NodeID, after former: Set<NodeID> = []) { (self.me, self.former) = (me, former) }

    /// Begins to serve if no other service does. Call it when the barrier has passed, and when ``other`` may be gone.
    mutating func begin() {
        if !hasBegun, let other, former.contains(other) { self.other = nil }
        (hasBegun, serves) = (true, other == nil)
    }

    /// Forgets what was known, because the connection was lost.
    mutating func noteDisconnected() { self = FeedTurn(me, after: former) }

    /// Receives the feed of a service. Returns whether this service must publish its own feed again.
    mutating func receive(from writer: NodeID) -> Bool {
        guard writer != me else {
            other = nil
            hasWritten = true
            return false
        }
        // Two that began together both publish. The order of their ids decides, so that both decide the same.
        if serves, hasWritten, me < writer { return true }
        serves = false
        if other != writer { (other, askedAt, unanswered) = (writer, nil, 0) }
        return false
    }

    /// Decides at each ``interval`` whether the other service is still there. Returns the service to ping.
    mutating func ask(answeredAt: BootTime?, at now: BootTime) -> NodeID? {
        guard let other else { return nil }
        if let askedAt { unanswered = answeredAt ?? .distantPast >= askedAt ? 0 : unanswered + 1 }
        guard unanswered < Self.unansweredLimit else {
            self.other = nil
            return nil
        }
        askedAt = now
        return other
    }
}
