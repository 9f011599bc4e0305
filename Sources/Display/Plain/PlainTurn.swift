// SPDX-License-Identifier: Apache-2.0

package import Session

/// The decision whether this node serves the plain topics of its space, or stands by while another node does.
///
/// On each connection a node asks who serves, and serves if no node answers within ``timeout``. The connection of the
/// server has a will, which tells the others that it is gone; the connection of a node that stands by has none.
/// Therefore a node connects again before it serves. Of two that began together, the one with the smaller id serves.
/// `FeedTurn` pings the server instead; readers of plain topics cannot, so a will must tell them that it is gone.
package struct PlainTurn: Hashable, Sendable {
    /// The state of a node in this decision.
    package enum State: Hashable, Sendable {
        case offline, asking
        case standingBy(NodeID)
        /// The node connects again, now with the will.
        case taking
        case serving
    }

    /// An event that can change the state.
    package enum Event: Hashable, Sendable {
        case connected, disconnected
        /// ``timeout`` is over.
        case timeUp
        /// A node says that it serves.
        case server(NodeID)
        /// A node asks who serves.
        case question(NodeID)
        /// The server has gone offline.
        case gone
    }

    /// A step that the caller must take.
    package enum Step: Hashable, Sendable {
        /// Ask who serves, and wait for ``PlainTurn/timeout``.
        case ask
        /// Say that this node serves.
        case claim
        case publish
        case reconnect
    }

    /// How long an asker waits for the server: more than a slow broker takes.
    package static let timeout: Milliseconds = .seconds(3)

    package private(set) var state = State.offline
    private let me: NodeID

    package init(_ me: NodeID) { self.me = me }

    package var serves: Bool { state == .serving }
    /// Whether the next connection has the will.
    package var hasWill: Bool { state == .taking || state == .serving }

    package mutating func handle(_ event: Event) -> [Step] {
        switch (event, state) {
        case (.connected, .taking):
            state = .serving
            return [.claim, .publish]
        case (.connected, _):
            state = .asking
            return [.ask]
        case (.disconnected, .taking): return []
        case (.disconnected, _):
            state = .offline
            return []
        case (.timeUp, .asking), (.gone, .standingBy):
            state = .taking
            return [.reconnect]
        // This is the will of an earlier connection of this node, or of a node that has just left.
        case (.gone, .serving): return [.publish]
        case (.question(let node), .serving) where node != me: return [.claim]
        case (.server(let node), .serving) where node != me:
            if me < node { return [.claim] }
            state = .standingBy(node)
            return [.reconnect]
        case (.server(let node), .asking) where node != me, (.server(let node), .standingBy) where node != me,
            (.server(let node), .taking) where node != me:
            state = .standingBy(node)
            return []
        default: return []
        }
    }
}
