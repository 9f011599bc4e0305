// SPDX-License-Identifier: Apache-2.0

public import Session

/// A topic of one space. A node publishes only on topics whose first node it is.
public enum Topic: Hashable, Sendable {
    /// The last level of a node's topic.
    public enum Leaf: String, CaseIterable, Sendable {
        /// A node's presence: retained, QoS 1.
        case presence
        /// A node's register: retained, QoS 1.
        case session
        /// The words of people to all nodes: retained, QoS 1.
        case notice
        /// Requests to an owner: QoS 1.
        case intent
        /// Answers and objections: QoS 1.
        case ack
        /// Asks every node to publish presence, register and notice again: QoS 1.
        case hello
        /// Ledger records: QoS 1.
        case record
        /// Sound levels: QoS 0.
        case sound
    }

    /// The levels of a service's topic.
    public enum Feed: String, CaseIterable, Sendable {
        /// The calm percent of the current session: retained, QoS 1.
        case calm = "feed/calm"
        /// The weekly debt: retained, QoS 1.
        case debt = "feed/debt"
        /// The time done in earlier weeks: retained, QoS 1.
        case debtYear = "feed/debt/year"
        /// Acknowledged ledger records: QoS 1.
        case debtAck = "feed/debt/ack"
    }

    /// The level before the other node's id in a topic between two nodes.
    public enum Exchange: String, CaseIterable, Sendable {
        case ping, pong

        /// Returns the last two levels; `+` stands for any node.
        package func end(for peer: String = "+") -> String { "\(rawValue)/\(peer)" }
    }

    case own(Leaf, of: NodeID)
    /// A clock ping to another node (QoS 0), or a node's barrier to itself (QoS 1).
    case ping(from: NodeID, to: NodeID)
    /// The answer to a ping: QoS 0.
    case pong(from: NodeID, to: NodeID)
    case feed(Feed)

    /// The node that may write the topic; `nil` for feeds, which belong to their service.
    public var node: NodeID? {
        switch self {
        case .own(_, let node), .ping(let node, _), .pong(let node, _): node
        case .feed: nil
        }
    }

    /// Whether the broker keeps the last message for later subscribers.
    public var isRetained: Bool {
        switch self {
        case .own(.presence, _), .own(.session, _), .own(.notice, _): true
        case .own, .ping, .pong: false
        case .feed(let feed): feed != .debtAck
        }
    }
}

/// Converts topics of a space to and from their names at the broker.
public struct Topics: Hashable, Sendable {
    /// The beginning of every topic's name: the protocol and its version. The id of a space follows.
    public static let prefix = "lockstep/1/"

    public let space: SpaceID
    private let root: String

    public init(space: SpaceID) {
        self.space = space
        root = Self.root(of: space)
    }

    public func name(of topic: Topic) -> String {
        switch topic {
        case .own(let leaf, let node): own(node, leaf.rawValue)
        case .ping(let node, let to): own(node, Topic.Exchange.ping.end(for: to.rawValue))
        case .pong(let node, let to): own(node, Topic.Exchange.pong.end(for: to.rawValue))
        case .feed(let feed): root + feed.rawValue
        }
    }

    /// Parses a topic's name; `nil` outside this space, or if a node's id is invalid.
    public func parse(_ name: String) -> Topic? {
        guard name.hasPrefix(root) else { return nil }
        var levels = Levels(text: name, start: root.utf8.count)
        guard levels.next() == "node" else {
            return Topic.Feed(rawValue: String(Substring(name.utf8.dropFirst(root.utf8.count)))).map(Topic.feed)
        }
        guard let node = NodeID(levels.next()), case let leaf = levels.next(), !leaf.isEmpty else { return nil }
        if levels.isAtEnd { return Topic.Leaf(rawValue: leaf).map { .own($0, of: node) } }
        guard let peer = NodeID(levels.next()), levels.isAtEnd else { return nil }
        switch Topic.Exchange(rawValue: leaf) {
        case .ping?: return .ping(from: node, to: peer)
        case .pong?: return .pong(from: node, to: peer)
        case nil: return nil
        }
    }

    /// Reads the levels of a topic's name one by one.
    private struct Levels {
        let text: String
        /// The first byte that was not read; `nil` after the last level.
        var start: Int?

        var isAtEnd: Bool { start == nil }

        mutating func next() -> String {
            guard let start else { return "" }
            let bytes = text.utf8.span
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
            self.start = end < bytes.count ? end + 1 : nil
            return String(validated: bytes.extracting(start..<end))
        }
    }

    /// Returns a node's subscriptions, at QoS 0. They are presence, session, notice, intent, ack and hello of all
    /// nodes, pings and pongs to it, the feeds that displays show, and the debt service's acknowledgements.
    public func subscriptions(for me: NodeID) -> [String] {
        Self.subscriptions([.presence, .session, .notice, .intent, .ack, .hello], for: me, in: space)
            + Topic.Feed.allCases.map { name(of: .feed($0)) }
    }

    /// The subscriptions of the calm service `me`, at QoS 0; `space` is `nil` for every space of the broker.
    public static func calmSubscriptions(for me: NodeID, in space: SpaceID?) -> [String] {
        subscriptions([.presence, .session, .hello], for: me, in: space)
            + [soundSubscription(in: space), root(of: space) + Topic.Feed.calm.rawValue]
    }

    /// The subscriptions of the debt service `me`, at QoS 0; `space` is `nil` for every space of the broker.
    public static func debtSubscriptions(for me: NodeID, in space: SpaceID?) -> [String] {
        subscriptions([.presence, .hello], for: me, in: space) + [filter(.record, in: space)]
            + [Topic.Feed.calm, .debt, .debtYear].map { root(of: space) + $0.rawValue }
    }

    /// The subscription to the sound levels of all nodes; `space` is `nil` for every space of the broker.
    public static func soundSubscription(in space: SpaceID?) -> String { filter(.sound, in: space) }

    /// Returns the subscriptions to these topics of all nodes, and to their pings and pongs to `me`.
    private static func subscriptions(_ leaves: [Topic.Leaf], for me: NodeID, in space: SpaceID?) -> [String] {
        leaves.map { filter($0, in: space) }
            + Topic.Exchange.allCases.map { filter($0.end(for: me.rawValue), in: space?.rawValue ?? SpaceID.every) }
    }

    private static func filter(_ leaf: Topic.Leaf, in space: SpaceID?) -> String {
        filter(leaf.rawValue, in: space?.rawValue ?? SpaceID.every)
    }

    /// Returns the topics of nodes that end so; `+` stands for any node and space.
    package static func filter(_ end: String, of node: String = "+", in space: String = SpaceID.every) -> String {
        "\(prefix)\(space)/node/\(node)/\(end)"
    }

    private static func root(of space: SpaceID?) -> String { "\(prefix)\(space?.rawValue ?? SpaceID.every)/" }

    /// Returns the space of a topic; `nil` for topics of other programs.
    public static func space(of name: String) -> SpaceID? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return SpaceID(String(name.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "/") }) ?? "")
    }

    /// Parses a topic's name in any space; `nil` for topics of other programs.
    package static func topic(of name: String) -> Topic? { space(of: name).flatMap { Topics(space: $0).parse(name) } }

    private func own(_ node: NodeID, _ leaf: String) -> String { root + "node/" + node.rawValue + "/" + leaf }
}
