// SPDX-License-Identifier: Apache-2.0

/// A message between nodes; one case for each topic.
public enum Message: Hashable, Sendable {
    indirect case presence(Presence)
    case register(Register)
    indirect case intent(Intent)
    /// An owner's answer, or an observer's objection.
    indirect case ack(Ack)
    indirect case notice(Notice)
    /// Asks every node to publish presence, register and notice again.
    case hello
    /// Asks `to` for its clocks.
    indirect case ping(Ping, to: NodeID)
    indirect case pong(Pong, to: NodeID)

    /// Whether the broker may have published it for a node that is gone.
    var mayBeWill: Bool {
        if case .presence(let presence) = self { !presence.isOnline } else { false }
    }
}

/// A message on a node's `ack` topic.
public enum Ack: Hashable, Sendable {
    case answer(Answer)
    /// An objection: the sender holds this version of a register, and has received another that is not above it.
    /// `node`, whose register it is, raises its version above this one.
    case fork(node: NodeID, version: Version)
    /// An objection: the stamp of `node`'s session is not admitted at the sender's group time `at`.
    case clock(node: NodeID, session: SessionID, at: GroupTime)
}

/// The reason why a message was discarded.
public enum Discard: String, CaseIterable, Sendable {
    /// More than ``Limits/payloadBytes``.
    case tooLarge
    /// Not JSON, not UTF-8, or a field is missing or has the wrong type.
    case malformed
    /// An unknown version of the protocol.
    case unknownVersion
    /// A field is out of bounds or contradicts the others.
    case outOfBounds
    /// The payload names another node than its topic.
    case wrongSender
    /// Retained on a topic that is never retained.
    case retained
    /// A further node, beyond ``Limits/nodes``.
    case tooManyNodes
    /// An answer to an intent, by a node that was not asked.
    case notAsked
    /// More messages per second than one peer may send.
    case tooOften
}
