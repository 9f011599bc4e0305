// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// An MQTT publish in flight: the bytes that the codec wrote. They are decoded once, since only a barrier, a ping and a
/// pong decode differently for each receiver.
final class Packet {
    let topic: String
    /// The topic's bytes, for filters.
    let topicBytes: [UInt8]
    let payload: [UInt8]
    let retain: Bool
    private var decoded: Decoded?
    /// The only receiver for which ``decoded`` is valid; `nil` if it is valid for all.
    private var reader: NodeID?

    init(topic: String, payload: [UInt8], retain: Bool) {
        self.topic = topic
        topicBytes = Array(topic.utf8)
        self.payload = payload
        self.retain = retain
    }

    convenience init(_ outgoing: Outgoing) {
        self.init(topic: outgoing.topic, payload: outgoing.payload, retain: outgoing.retain)
    }

    func decoded(by codec: WireCodec, retained: Bool, now: @autoclosure () -> GroupTime) -> Decoded {
        let me = codec.me
        if retained == retain, let decoded, reader == nil || reader == me { return decoded }
        let result = codec.decode(topic: topic, payload: payload, retained: retained, now: now())
        if retained == retain {
            decoded = result
            reader = isForOne ? me : nil
        }
        return result
    }

    /// Whether it is a ping, a pong or a barrier. Only their topics have a seventh level, the receiver.
    private var isForOne: Bool { topicBytes.reduce(0) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 } == 6 }
}

/// A frame from a client to the broker.
enum UpFrame {
    case connect
    case subscribe([NodeCore.Filter])
    case unsubscribe([String])
    /// With a number the client waits for a confirmation.
    case publish(Packet, NodeCore.MessageNumber?)
    /// The end of the connection without a disconnect: the broker publishes the will.
    case close
}

/// A frame from the broker to a client.
enum DownFrame {
    case accepted
    case publish(Packet, retained: Bool)
    /// The outcome of a message that the client published.
    case confirmed(NodeCore.MessageNumber, NodeCore.Confirmation)
    /// The end of the connection.
    case close
}

/// One connection of a node's program to the broker. Each end detects its loss by itself.
struct Connection {
    let node: Int
    let life: Int
    let id: ConnectionID
    let half: Int
    let will: Packet
    var isOpenAtClient = true
    var isOpenAtBroker = false
    var isRefused = false
    var subscriptions: [Subscription] = []
    /// Whether frames to the broker are held, to arrive later, as with TCP.
    var isUpBlocked = false
    /// Whether frames to the client are held.
    var isDownBlocked = false
    var upHeld: [UpFrame] = []
    var downHeld: [DownFrame] = []
    /// When the last frame to the broker arrives, which keeps the order.
    var upLast = VirtualTime.start
    var downLast = VirtualTime.start
    /// Packets in flight to the client.
    var inflight = 0
    /// Whether a packet was lost while the connection holds. Healing ends such a connection.
    var isLossy = false

    struct Subscription {
        var filter: [UInt8]
        var isNoLocal: Bool
    }

    /// Whether the client receives a packet, which it may have published itself.
    func gets(_ packet: Packet, isOwn: Bool) -> Bool {
        subscriptions.contains { !($0.isNoLocal && isOwn) && TopicFilter.matches($0.filter, packet.topicBytes) }
    }
}

/// The retained messages of one half of the broker, in memory and in its file.
struct Broker {
    var isUp = true
    /// The indices of the open connections, oldest first.
    var open: [Int] = []
    var retained: [String: Packet] = [:]
    /// When the last packet from the bridge arrives, which keeps the order.
    var bridgedLast = VirtualTime.start
    private var saved: [String: Packet] = [:]

    mutating func save() { saved = retained }
    /// Restores the retained messages from the file, or none.
    mutating func restore(keeps: Bool) { retained = keeps ? saved : [:] }

    mutating func keep(_ packet: Packet) {
        retained[packet.topic] = packet.payload.isEmpty ? nil : packet
    }

    /// The retained messages under a filter, by topic.
    func retained(under filter: [UInt8]) -> [Packet] {
        retained.values.filter { TopicFilter.matches(filter, $0.topicBytes) }.sorted { $0.topic < $1.topic }
    }
}

/// MQTT's topic filters, as far as nodes use them: `+` for one level.
enum TopicFilter {
    static func matches(_ filter: [UInt8], _ topic: [UInt8]) -> Bool {
        // From the end, since all topics of a space begin alike.
        var place = topic.count
        for byte in filter.reversed() {
            if byte == UInt8(ascii: "+") {
                while place > 0, topic[place - 1] != UInt8(ascii: "/") { place -= 1 }
            } else {
                guard place > 0, topic[place - 1] == byte else { return false }
                place -= 1
            }
        }
        return place == 0
    }
}
