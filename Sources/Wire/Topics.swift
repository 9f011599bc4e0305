// SPDX-License-Identifier: Apache-2.0

public import Session

/// A topic of one space. A node publishes only on those whose (first) node it is.
public enum Topic: Hashable, Sendable {
    /// Who is there: retained, QoS 1.
    case presence(NodeID)
    /// A node's register: retained, QoS 1.
    case session(NodeID)
    /// Requests to an owner: QoS 1.
    case intent(NodeID)
    /// Answers and objections: QoS 1.
    case ack(NodeID)
    /// Asks every node to publish its presence and register again: QoS 1.
    case hello(NodeID)
    /// From one node to another, or to itself: the barrier.
    case ping(from: NodeID, to: NodeID)
    /// The echo of a ping.
    case pong(from: NodeID, to: NodeID)
    /// Ledger records: QoS 1.
    case record(NodeID)
    /// Noise levels: QoS 0.
    case sound(NodeID)
    /// The calm percent of the current session: retained, QoS 1.
    case calm
    /// The weekly debt: retained, QoS 1.
    case debt
    /// Acknowledged ledger records: QoS 1.
    case debtAck

    /// The node that may write the topic; `nil` for feeds, which belong to their service.
    public var node: NodeID? {
        switch self {
        case .presence(let node), .session(let node), .intent(let node), .ack(let node), .hello(let node),
            .record(let node), .sound(let node), .ping(let node, _), .pong(let node, _):
            node
        case .calm, .debt, .debtAck: nil
        }
    }

    /// Whether the broker keeps the last message for later subscribers.
    public var isRetained: Bool {
        switch self {
        case .presence, .session, .calm, .debt: true
        case .intent, .ack, .hello, .ping, .pong, .record, .sound, .debtAck: false
        }
    }
}

/// The topics of a space: values to and from the names that the broker sees.
public struct Topics: Hashable, Sendable {
    /// The space.
    public let space: SpaceID
    private let root: String

    /// The topics below `lockstep/1/<space>/`.
    public init(space: SpaceID) {
        self.space = space
        root = "lockstep/1/\(space)/"
    }

    /// The name of a topic.
    public func name(of topic: Topic) -> String {
        switch topic {
        case .presence(let node): own(node, "presence")
        case .session(let node): own(node, "session")
        case .intent(let node): own(node, "intent")
        case .ack(let node): own(node, "ack")
        case .hello(let node): own(node, "hello")
        case .ping(let node, let to): own(node, "ping/\(to)")
        case .pong(let node, let to): own(node, "pong/\(to)")
        case .record(let node): own(node, "record")
        case .sound(let node): own(node, "sound")
        case .calm: root + "feed/calm"
        case .debt: root + "feed/debt"
        case .debtAck: root + "feed/debt/ack"
        }
    }

    /// Reads a topic's name; `nil` when it is not one of this space, or a node's id is outside its grammar.
    public func parse(_ name: String) -> Topic? {
        guard name.utf8.starts(with: root.utf8) else { return nil }
        let levels = name.utf8.dropFirst(root.utf8.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        guard levels.count >= 2, levels[0] == "node" else { return feed(levels) }
        guard let node = NodeID(String(levels[1])) else { return nil }
        switch levels.count {
        case 3: return topic(levels[2], of: node)
        case 4:
            guard let peer = NodeID(String(levels[3])) else { return nil }
            switch levels[2] {
            case "ping": return .ping(from: node, to: peer)
            case "pong": return .pong(from: node, to: peer)
            default: return nil
            }
        default: return nil
        }
    }

    /// What a node subscribes to, at QoS 0: everybody's presence, session, intent, ack and hello, and what is pinged and
    /// ponged to it.
    public func subscriptions(for me: NodeID) -> [String] {
        ["presence", "session", "intent", "ack", "hello", "ping/\(me)", "pong/\(me)"].map { "\(root)node/+/\($0)" }
    }

    private func own(_ node: NodeID, _ leaf: String) -> String { "\(root)node/\(node)/\(leaf)" }

    private func topic(_ leaf: Substring, of node: NodeID) -> Topic? {
        switch leaf {
        case "presence": .presence(node)
        case "session": .session(node)
        case "intent": .intent(node)
        case "ack": .ack(node)
        case "hello": .hello(node)
        case "record": .record(node)
        case "sound": .sound(node)
        default: nil
        }
    }

    private func feed(_ levels: [Substring]) -> Topic? {
        switch levels {
        case ["feed", "calm"]: .calm
        case ["feed", "debt"]: .debt
        case ["feed", "debt", "ack"]: .debtAck
        default: nil
        }
    }
}
