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
    /// What was done in the weeks before this one: retained, QoS 1.
    case debtYear
    /// Acknowledged ledger records: QoS 1.
    case debtAck

    /// The node that may write the topic; `nil` for feeds, which belong to their service.
    public var node: NodeID? {
        switch self {
        case .presence(let node), .session(let node), .intent(let node), .ack(let node), .hello(let node),
            .record(let node), .sound(let node), .ping(let node, _), .pong(let node, _):
            node
        case .calm, .debt, .debtYear, .debtAck: nil
        }
    }

    /// Whether the broker keeps the last message for later subscribers.
    public var isRetained: Bool {
        switch self {
        case .presence, .session, .calm, .debt, .debtYear: true
        case .intent, .ack, .hello, .ping, .pong, .record, .sound, .debtAck: false
        }
    }
}

/// The topics of a space: values to and from the names that the broker sees.
public struct Topics: Hashable, Sendable {
    /// The space.
    public let space: SpaceID
    private let root: String
    private let rootBytes: [UInt8]

    /// The topics below `lockstep/1/<space>/`.
    public init(space: SpaceID) {
        self.space = space
        root = "lockstep/1/\(space)/"
        rootBytes = Array(root.utf8)
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
        case .debtYear: root + "feed/debt/year"
        case .debtAck: root + "feed/debt/ack"
        }
    }

    /// Reads a topic's name; `nil` when it is not one of this space, or a node's id is outside its grammar.
    public func parse(_ name: String) -> Topic? {
        var name = name
        return name.withUTF8 { name in
            guard name.count > rootBytes.count else { return nil }
            for index in rootBytes.indices where name[index] != rootBytes[index] { return nil }
            return parse(name.span.extracting(droppingFirst: rootBytes.count))
        }
    }

    /// Level by level: every message comes through here, and only a node's id is worth a string.
    private func parse(_ levels: Span<UInt8>) -> Topic? {
        let first = Self.level(of: levels, from: 0)
        guard Self.key(levels, first) == "node" else { return feed(levels) }
        let second = Self.level(of: levels, from: first.upperBound + 1)
        let third = Self.level(of: levels, from: second.upperBound + 1)
        guard third.lowerBound <= levels.count, let node = Self.node(levels, second) else { return nil }
        let leaf = Self.key(levels, third)
        if third.upperBound == levels.count { return topic(leaf, of: node) }
        let fourth = Self.level(of: levels, from: third.upperBound + 1)
        guard fourth.upperBound == levels.count, let peer = Self.node(levels, fourth) else { return nil }
        switch leaf {
        case "ping": return .ping(from: node, to: peer)
        case "pong": return .pong(from: node, to: peer)
        default: return nil
        }
    }

    /// Up to the next slash; empty behind the last level.
    private static func level(of name: Span<UInt8>, from start: Int) -> Range<Int> {
        var end = start
        while end < name.count, name[end] != UInt8(ascii: "/") { end += 1 }
        return start..<end
    }

    private static func key(_ name: Span<UInt8>, _ level: Range<Int>) -> JSONKey? {
        level.count > JSONKey.longest ? nil : JSONKey(name.extracting(level))
    }

    private static func node(_ name: Span<UInt8>, _ level: Range<Int>) -> NodeID? {
        guard level.upperBound <= name.count, level.count <= 32 else { return nil }
        return NodeID(
            String(unsafeUninitializedCapacity: level.count) { buffer in
                for index in level { buffer[index - level.lowerBound] = name[index] }
                return level.count
            })
    }

    /// What a node subscribes to, at QoS 0: everybody's presence, session, intent, ack and hello, what is pinged and
    /// ponged to it, the feeds that displays show, and what the debt service acknowledges.
    public func subscriptions(for me: NodeID) -> [String] {
        ["presence", "session", "intent", "ack", "hello", "ping/\(me)", "pong/\(me)"].map { "\(root)node/+/\($0)" }
            + [name(of: .calm), name(of: .debt), name(of: .debtYear), name(of: .debtAck)]
    }

    /// What the calm service `me` subscribes to, at QoS 0, for this space; ``everySpace(for:)`` for all of them.
    public func calmSubscriptions(for me: NodeID) -> [String] { Self.calmSubscriptions(below: root, for: me) }

    /// What the calm service `me` subscribes to, at QoS 0, where it serves every space of the broker.
    public static func everySpace(for me: NodeID) -> [String] { calmSubscriptions(below: "lockstep/1/+/", for: me) }

    private static func calmSubscriptions(below root: String, for me: NodeID) -> [String] {
        ["presence", "session", "hello", "ping/\(me)", "pong/\(me)", "sound"].map { "\(root)node/+/\($0)" }
    }

    /// What the debt service `me` subscribes to for this space; ``debtEverySpace(for:)`` for all of them.
    public func debtSubscriptions(for me: NodeID) -> [String] { Self.debtSubscriptions(below: root, for: me) }

    /// What the debt service `me` subscribes to where it serves every space of the broker.
    public static func debtEverySpace(for me: NodeID) -> [String] { debtSubscriptions(below: "lockstep/1/+/", for: me) }

    private static func debtSubscriptions(below root: String, for me: NodeID) -> [String] {
        ["presence", "hello", "ping/\(me)", "pong/\(me)", "record"].map { "\(root)node/+/\($0)" } + [root + "feed/calm"]
    }

    /// The space of a topic; `nil` for what is no topic of Lockstep.
    public static func space(of name: String) -> SpaceID? {
        let top = "lockstep/1/"
        guard name.utf8.starts(with: top.utf8) else { return nil }
        return SpaceID(String(name.utf8.dropFirst(top.utf8.count).prefix { $0 != UInt8(ascii: "/") }) ?? "")
    }

    private func own(_ node: NodeID, _ leaf: String) -> String { "\(root)node/\(node)/\(leaf)" }

    private func topic(_ leaf: JSONKey?, of node: NodeID) -> Topic? {
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

    private func feed(_ levels: Span<UInt8>) -> Topic? {
        switch Self.key(levels, 0..<levels.count) {
        case "feed/calm": .calm
        case "feed/debt": .debt
        case "feed/debt/year": .debtYear
        case "feed/debt/ack": .debtAck
        default: nil
        }
    }
}
