// SPDX-License-Identifier: Apache-2.0

public import Session

/// The result of decoding a message from the broker.
public enum Decoded: Hashable, Sendable {
    /// A message within all bounds, sent by the node whose topic it came on.
    case message(Message, from: NodeID)
    /// The node's own barrier has returned.
    case barrier(ConnectionID)
    /// The retained presence, session or notice of a node was deleted. If it was this node's, the node publishes all
    /// three again. A node whose presence was deleted is not online, and its clock does not count; its register and
    /// notice stay.
    case erased(from: NodeID, isPresence: Bool)
    /// Not used, and counted; `from` is `nil` if the topic names no node.
    case discard(Discard, from: NodeID?)
    /// A service's result, within all bounds.
    case feed(Feed)
    /// A sound level of a node. Only the calm service subscribes to it.
    case sound(SoundLevel, from: NodeID)
    /// A ledger record within all bounds, of a session of the node that sent it.
    case record(DigestedRecord)
    /// The debt service's message to a node, perhaps another one.
    case ledgerAck(LedgerAck)
    /// Not used: an ack of an unknown kind, or a ping or pong that is not for this node.
    case ignored
}

/// A service's published result, for all displays; `nil` once it has been withdrawn.
public enum Feed: Hashable, Sendable {
    case calm(CalmFeed?)
    case debt(DebtFeed?)
    case debtYear(DebtYear?)
}

/// A message to be published.
public struct Outgoing: Hashable, Sendable {
    public var topic: String
    /// The payload; at most 16,384 bytes.
    public var payload: [UInt8]
    public var retain: Bool
    /// The quality of service: 0 for clocks and sound levels, where a late message is worse than none; else 1.
    public var qos: Int

    public init(topic: String, payload: [UInt8], retain: Bool, qos: Int) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        self.qos = qos
    }
}

/// Encodes a node's messages, and decodes those that arrive: without an error, and within all bounds.
public struct WireCodec: Sendable {
    public let topics: Topics
    public let me: NodeID

    public init(space: SpaceID, me: NodeID) {
        topics = Topics(space: space)
        self.me = me
        ownPresence = topics.name(of: .own(.presence, of: me))
        ownSession = topics.name(of: .own(.session, of: me))
        ownIntent = topics.name(of: .own(.intent, of: me))
        ownAck = topics.name(of: .own(.ack, of: me))
    }

    /// The node's subscriptions, at QoS 0.
    public var subscriptions: [String] { topics.subscriptions(for: me) }

    /// The topic of the node's own session, which it subscribes to by name until the barrier has returned. So it
    /// receives its retained register, although ``subscriptions`` leave out its own messages.
    public let ownSession: String
    private let ownPresence: String
    private let ownIntent: String
    private let ownAck: String

    /// Whether the node must receive its own messages on a subscription. It needs its presence, to learn whether the
    /// broker delivers retained messages to wildcards; its notice, to go on from that of an earlier process; and its
    /// barrier. Messages of others arrive in any case.
    public func needsEcho(on subscription: String) -> Bool {
        ![Topic.Leaf.session, .intent, .ack, .hello].contains {
            subscription == Topics.filter($0.rawValue, in: topics.space.rawValue)
        }
    }

    /// Encodes a message of this node. Its fields must be valid, as the engine's are.
    public func encode(_ message: Message) -> Outgoing {
        switch message {
        case .presence(let presence): outgoing(.own(.presence, of: me), named: ownPresence, presence.payload)
        case .register(let register): session(register.json())
        case .notice(let notice): outgoing(.own(.notice, of: me), notice.payload)
        case .intent(let intent): outgoing(.own(.intent, of: me), named: ownIntent, intent.json())
        case .ack(let ack): outgoing(.own(.ack, of: me), named: ownAck, ack.json())
        case .hello: outgoing(.own(.hello, of: me), Hello().payload)
        case .ping(let ping, let to): outgoing(.ping(from: me, to: to), ping.payload, qos: 0)
        case .pong(let pong, let to): outgoing(.pong(from: me, to: to), pong.payload, qos: 0)
        }
    }

    /// Returns the message that carries this payload of the node's register.
    package func session(_ payload: [UInt8]) -> Outgoing {
        outgoing(.own(.session, of: me), named: ownSession, payload)
    }

    /// Encodes a level, whose fields must be within their bounds.
    public func encode(_ level: SoundLevel) -> Outgoing { outgoing(.own(.sound, of: me), level.payload, qos: 0) }
    /// Encodes a ledger record of this node.
    public func encode(_ digested: DigestedRecord) -> Outgoing { outgoing(.own(.record, of: me), digested.json) }
    /// Encodes the feed of the calm service.
    public func encode(_ calm: CalmFeed) -> Outgoing { outgoing(.feed(.calm), calm.payload) }
    /// Encodes the feed of the debt service.
    public func encode(_ debt: DebtFeed) -> Outgoing { outgoing(.feed(.debt), debt.payload) }
    /// Encodes the year of the debt service.
    public func encode(_ year: DebtYear) -> Outgoing { outgoing(.feed(.debtYear), year.payload) }
    /// Encodes an answer of the ledger to a node.
    public func encode(_ ack: LedgerAck) -> Outgoing { outgoing(.feed(.debtAck), ack.payload) }

    /// Returns the will that the broker publishes when the connection breaks: the same presence, offline.
    public func will(for presence: Presence) -> Outgoing {
        var offline = presence
        offline.isOnline = false
        offline.isSleeping = false
        return encode(.presence(offline))
    }

    /// Returns a message to this node itself. When it returns, all retained messages have arrived.
    public func barrier(_ connection: ConnectionID) -> Outgoing {
        outgoing(.ping(from: me, to: me), Barrier(connection: connection).payload)
    }

    /// Reads a message. `retained` is the broker's flag; an intent without a time gets `now`, this node's group time.
    public func decode(topic: String, payload: [UInt8], retained: Bool, now: GroupTime) -> Decoded {
        guard let topic = topics.parse(topic) else { return .discard(.malformed, from: nil) }
        let sender = topic.node
        if retained, !topic.isRetained { return .discard(.retained, from: sender) }
        if payload.count > Limits.payloadBytes { return .discard(.tooLarge, from: sender) }
        if payload.isEmpty, topic.isRetained, let sender {
            return .erased(from: sender, isPresence: topic == .own(.presence, of: sender))
        }
        do throws(PayloadError) {
            return try read(payload, on: topic, now: now)
        } catch {
            return .discard(error.reason, from: sender)
        }
    }

    private func read(_ payload: [UInt8], on topic: Topic, now: GroupTime) throws(PayloadError) -> Decoded {
        switch topic {
        case .own(.presence, let node): .message(.presence(try Presence(payload: payload)), from: node)
        case .own(.session, let node): .message(.register(try Register(payload: payload, by: node)), from: node)
        case .own(.notice, let node): .message(.notice(try Notice(payload: payload)), from: node)
        case .own(.intent, let node): .message(.intent(try Intent(payload: payload, from: node, now: now)), from: node)
        case .own(.ack, let node): try Ack.read(payload: payload).map { .message(.ack($0), from: node) } ?? .ignored
        case .own(.hello, let node): .message(try Hello(payload: payload).message, from: node)
        case .ping(me, to: me): .barrier(try Barrier(payload: payload).connection)
        case .ping(let node, to: me): .message(.ping(try Ping(payload: payload), to: me), from: node)
        case .pong(let node, to: me) where node != me:
            .message(.pong(try Pong(payload: payload), to: me), from: node)
        case .ping, .pong: .ignored
        case .own(.sound, let node): .sound(try SoundLevel(payload: payload), from: node)
        case .own(.record, let node): .record(try DigestedRecord(json: payload, by: node))
        case .feed(.calm): .feed(.calm(payload.isEmpty ? nil : try CalmFeed(payload: payload)))
        case .feed(.debt): .feed(.debt(payload.isEmpty ? nil : try DebtFeed(payload: payload)))
        case .feed(.debtYear): .feed(.debtYear(payload.isEmpty ? nil : try DebtYear(payload: payload)))
        case .feed(.debtAck): .ledgerAck(try LedgerAck(payload: payload))
        }
    }

    private func outgoing(_ topic: Topic, named name: String? = nil, _ payload: [UInt8], qos: Int = 1) -> Outgoing {
        Outgoing(topic: name ?? topics.name(of: topic), payload: payload, retain: topic.isRetained, qos: qos)
    }
}
