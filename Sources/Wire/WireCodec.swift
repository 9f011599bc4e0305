// SPDX-License-Identifier: Apache-2.0

public import Session

/// What became of something that arrived. Its large contents are held by reference, since it is handed on often.
public enum Decoded: Hashable, Sendable {
    /// A message within all bounds, sent by the node whose topic it came on.
    case message(Message, from: NodeID)
    /// This node's own barrier has come back.
    case barrier(ConnectionID)
    /// Somebody deleted what the broker kept of the node's presence or session. If the node is this one, it publishes
    /// both again; of another one it means nothing, since the state that was seen still holds.
    case erased(from: NodeID)
    /// Not used, and counted; `from` is `nil` when the topic names no node.
    case discard(Discard, from: NodeID?)
    /// What a service says, within all bounds.
    indirect case feed(Feed)
    /// How loud it is at a node. For the calm service: a node does not subscribe to it.
    indirect case sound(SoundLevel, from: NodeID)
    /// A ledger record within all bounds, of a session of the node that sent it.
    indirect case record(FiledRecord)
    /// What the debt service says to a node; it may be another one.
    case ledgerAck(LedgerAck)
    /// Well-formed, but not for a node of this version: an unknown kind of ack.
    case ignored
}

/// What is to be published.
public struct Outgoing: Hashable, Sendable {
    /// The topic's full name.
    public var topic: String
    /// The payload; at most ``Limits/payloadBytes``.
    public var payload: [UInt8]
    /// Whether the broker keeps it for later subscribers.
    public var retain: Bool
    /// The quality of service: 0 for comparing clocks, where a late message is worse than none; else 1.
    public var qos: Int

    /// Makes an outgoing message.
    public init(topic: String, payload: [UInt8], retain: Bool, qos: Int) {
        self.topic = topic
        self.payload = payload
        self.retain = retain
        self.qos = qos
    }
}

/// Turns a node's messages into topics and payloads, and what arrives into messages.
///
/// Nothing that arrives can make it trap or throw; a message that it hands on is within all bounds.
public struct WireCodec: Sendable {
    /// The topics of the space.
    public let topics: Topics
    /// The node that writes.
    public let me: NodeID
    /// What it says most, so that the name is not put together each time.
    private let (ownIntent, ownAck): (String, String)

    /// The codec of one node in one space.
    public init(space: SpaceID, me: NodeID) {
        topics = Topics(space: space)
        self.me = me
        ownSession = topics.name(of: .session(me))
        ownIntent = topics.name(of: .intent(me))
        ownAck = topics.name(of: .ack(me))
    }

    /// What the node subscribes to, at QoS 0.
    public var subscriptions: [String] { topics.subscriptions(for: me) }

    /// Its own session: subscribed to by name until the barrier, so that what the broker kept of it arrives although the
    /// node does not hear itself on ``subscriptions``.
    public let ownSession: String

    /// Whether the node has to hear itself on one of its subscriptions: on its presence, which tells whether the broker
    /// delivers retained messages to wildcards, and on its barrier. Of the rest it knows; what others put in its stead it
    /// hears all the same.
    public func needsEcho(on subscription: String) -> Bool {
        !["/session", "/intent", "/ack", "/hello"].contains { subscription.hasSuffix($0) }
    }

    /// What to publish for a message of this node. Its fields must be valid, as the engine's are.
    public func encode(_ message: Message) -> Outgoing {
        switch message {
        case .presence(let presence):
            outgoing(.presence(me), JSONWriter.payload { presence.writeFields(to: &$0) })
        case .register(let register):
            encode(register).outgoing
        case .intent(let intent):
            outgoing(.intent(me), JSONWriter.payload(capacity: 320) { intent.writeFields(to: &$0) })
        case .ack(let ack):
            outgoing(.ack(me), JSONWriter.payload { ack.writeFields(to: &$0) })
        case .hello:
            outgoing(.hello(me), JSONWriter.payload { _ in })
        case .ping(let ping, let to):
            outgoing(.ping(from: me, to: to), JSONWriter.payload(capacity: 128) { ping.writeFields(to: &$0) }, qos: 0)
        case .pong(let pong, let to):
            outgoing(.pong(from: me, to: to), JSONWriter.payload(capacity: 256) { pong.writeFields(to: &$0) }, qos: 0)
        }
    }

    /// What to publish for how loud it is at this node. Its fields must be within their bounds.
    public func encode(_ level: SoundLevel) -> Outgoing {
        outgoing(.sound(me), JSONWriter.payload(capacity: 128) { level.writeFields(to: &$0) }, qos: 0)
    }

    /// What the calm service publishes.
    public func encode(_ calm: CalmFeed) -> Outgoing {
        outgoing(.calm, JSONWriter.payload(capacity: 512) { calm.writeFields(to: &$0) })
    }

    /// What the broker says in the node's stead when the connection breaks: the same presence, offline.
    public func will(for presence: Presence) -> Outgoing {
        var offline = presence
        offline.online = false
        offline.isSleeping = false
        return encode(.presence(offline))
    }

    /// A message to oneself. When it comes back, what the broker had retained has arrived.
    public func barrier(_ connection: ConnectionID) -> Outgoing {
        outgoing(.ping(from: me, to: me), JSONWriter.payload { $0.field("conn", connection) })
    }

    /// Reads what arrived.
    /// - Parameters:
    ///   - topic: The topic's full name.
    ///   - payload: The bytes as they came.
    ///   - retained: The retain flag as the broker set it.
    ///   - now: This node's group time in milliseconds, for intents that do not say when they were made.
    ///   - memory: What goes from one call to the next, so that what stays the same is not read again.
    public func decode(
        topic: String, payload: [UInt8], retained: Bool, now: Int64, memory: inout Memory
    ) -> Decoded {
        guard let topic = topics.parse(topic) else { return .discard(.malformed, from: nil) }
        guard let sender = topic.node else {
            if retained, !topic.isRetained { return .discard(.retained, from: nil) }
            return readFeed(payload, on: topic)
        }
        if retained, !topic.isRetained { return .discard(.retained, from: sender) }
        if payload.count > Limits.payloadBytes { return .discard(.tooLarge, from: sender) }
        if payload.isEmpty, topic.isRetained { return .erased(from: sender) }
        do throws(Rejection) {
            return try read(payload, on: topic, from: sender, now: now, memory: &memory)
        } catch {
            return .discard(error.reason, from: sender)
        }
    }

    /// The same without a memory.
    public func decode(topic: String, payload: [UInt8], retained: Bool, now: Int64) -> Decoded {
        var memory = Memory()
        return decode(topic: topic, payload: payload, retained: retained, now: now, memory: &memory)
    }

    /// What ``decode(topic:payload:retained:now:memory:)`` has read before: never more than one register.
    public struct Memory: Sendable {
        var register = RegisterMemory()

        /// Remembers nothing yet.
        public init() {}
    }

    private func read(
        _ payload: [UInt8], on topic: Topic, from sender: NodeID, now: Int64, memory: inout Memory
    ) throws(Rejection) -> Decoded {
        switch topic {
        case .presence:
            let presence = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                try Presence(reader: &reader)
            }
            return .message(.presence(presence), from: sender)
        case .session:
            return .message(.register(try register(payload, from: sender, memory: &memory.register)), from: sender)
        case .intent:
            let intent = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                try Intent(reader: &reader, sender: sender, now: now)
            }
            guard intent.from == sender else { throw Rejection(.wrongSender, "from is \(intent.from)") }
            return .message(.intent(intent), from: sender)
        case .ack:
            let ack = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                try Ack.read(from: &reader)
            }
            return ack.map { .message(.ack($0), from: sender) } ?? .ignored
        case .hello:
            try ProtocolVersion.checkEnvelope(payload)
            return .message(.hello, from: sender)
        case .ping(_, to: me) where sender == me:
            return .barrier(try barrier(in: payload))
        case .ping(_, to: me):
            let ping = try ProtocolVersion.document(payload) { reader throws(Rejection) in try Ping(reader: &reader) }
            return .message(.ping(ping, to: me), from: sender)
        case .pong(_, to: me) where sender != me:
            let pong = try ProtocolVersion.document(payload) { reader throws(Rejection) in try Pong(reader: &reader) }
            return .message(.pong(pong, to: me), from: sender)
        case .sound:
            let level = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                try SoundLevel(reader: &reader)
            }
            return .sound(level, from: sender)
        case .record:
            let filed = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                try FiledRecord(reader: &reader, from: sender)
            }
            return .record(filed)
        case .ping, .pong, .calm, .debt, .debtYear, .debtAck:
            return .ignored
        }
    }

    private func register(
        _ payload: [UInt8], from sender: NodeID, memory: inout RegisterMemory
    ) throws(Rejection) -> Register {
        let register = try ProtocolVersion.document(payload) { reader throws(Rejection) in
            try Register(reader: &reader, memory: &memory)
        }
        guard register.owner == sender else { throw Rejection(.wrongSender, "owner is \(register.owner)") }
        let sound = try register.checked(after: memory.sound)
        memory.sound = sound
        return sound
    }

    private func barrier(in payload: [UInt8]) throws(Rejection) -> ConnectionID {
        try ProtocolVersion.document(payload) { reader throws(Rejection) in
            var version: Int64?
            var connection: ConnectionID?
            var fields = try reader.object()
            while let key = try reader.key(&fields) {
                switch key {
                case "v": version = try reader.integer()
                case "conn": connection = try reader.token()
                default: try reader.skip()
                }
            }
            try ProtocolVersion.check(version)
            return try need(connection, "conn")
        }
    }

    private func outgoing(_ topic: Topic, _ payload: [UInt8], qos: Int = 1) -> Outgoing {
        let name =
            switch topic {
            case .session: ownSession
            case .intent: ownIntent
            case .ack: ownAck
            default: topics.name(of: topic)
            }
        return Outgoing(topic: name, payload: payload, retain: topic.isRetained, qos: qos)
    }
}

/// A register with its payload, which the journal and the broker get in turn; by reference, since it is handed on often.
public final class EncodedRegister: Sendable {
    /// What it was made of.
    public let register: Register
    /// What to publish for it.
    public let outgoing: Outgoing
    /// Where the payload goes over to what changes with each revision.
    fileprivate let head: Int

    fileprivate init(_ register: Register, _ outgoing: Outgoing, head: Int) {
        self.register = register
        self.outgoing = outgoing
        self.head = head
    }
}

extension WireCodec {
    /// What to publish for this node's register.
    /// - Parameter earlier: One of before: what is the same is not written again.
    public func encode(_ register: Register, after earlier: EncodedRegister? = nil) -> EncodedRegister {
        if let earlier, earlier.register == register { return earlier }
        var writer = JSONWriter(capacity: 2_560)
        if let earlier, register.hasAttributes(of: earlier.register) {
            writer.open(with: earlier.outgoing.payload[..<earlier.head])
        } else {
            writer.openObject()
            register.writeHead(to: &writer)
        }
        let head = writer.count
        register.writeState(to: &writer)
        writer.closeObject()
        return EncodedRegister(register, outgoing(.session(me), writer.bytes), head: head)
    }
}
