// SPDX-License-Identifier: Apache-2.0

/// What nodes say to each other, one case a topic. Its large contents are held by reference, since it is handed on often.
public enum Message: Hashable, Sendable {
    /// Who is there.
    indirect case presence(Presence)
    /// A node's latest session.
    case register(Register)
    /// A request to an owner.
    indirect case intent(Intent)
    /// An owner's answer, or an observer's objection.
    indirect case ack(Ack)
    /// Asks every node to publish its presence and register again.
    case hello
    /// Asks `to` for its clocks.
    indirect case ping(Ping, to: NodeID)
    /// The answer to a ping of `to`.
    indirect case pong(Pong, to: NodeID)

    /// Whether the broker may have said it in the node's stead.
    var isWill: Bool {
        if case .presence(let presence) = self { !presence.online } else { false }
    }
}

/// What goes out on a node's `ack` topic.
public enum Ack: Hashable, Sendable {
    /// The answer to an intent.
    case answer(Answer)
    /// Two different registers of `node` carry the same version: its author raises the revision above both.
    case fork(node: NodeID, version: Version)
    /// The stamp of `node`'s session is not admitted; the teller's group time says why.
    case clock(node: NodeID, session: SessionID, at: Int64)
}

/// Why something that arrived was not used.
public enum Discard: String, CaseIterable, Sendable {
    /// More bytes than a payload may have.
    case tooLarge
    /// Not JSON, not UTF-8, or a field is missing or of the wrong type.
    case malformed
    /// A version of the protocol that this program does not know.
    case unknownVersion
    /// A field is out of bounds or does not fit the others.
    case outOfBounds
    /// The payload speaks for another node than its topic.
    case wrongSender
    /// Retained on a topic that is not.
    case retained
    /// More nodes than a space may have.
    case tooManyNodes
    /// An answer to an intent, by a node that was not asked.
    case notAsked
    /// More than one peer may cause per second.
    case tooOften
}
