// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// An MQTT publish on its way: bytes, as the codec wrote them.
///
/// What the bytes decode to is the same for every receiver but for its own barrier, so they are read once.
final class Packet {
    let topic: String
    /// The topic's bytes, for filters.
    let levels: [UInt8]
    let payload: [UInt8]
    let retain: Bool
    private var decoded: Decoded?
    /// For whom ``decoded`` holds; `nil` if for everybody.
    private var reader: NodeID?

    init(topic: String, payload: [UInt8], retain: Bool) {
        self.topic = topic
        levels = Array(topic.utf8)
        self.payload = payload
        self.retain = retain
    }

    func decoded(by codec: WireCodec, retained: Bool, now: @autoclosure () -> Int64) -> Decoded {
        let me = codec.me
        if retained == retain, let decoded, reader == nil || reader == me { return decoded }
        let result = codec.decode(topic: topic, payload: payload, retained: retained, now: now())
        if retained == retain {
            decoded = result
            reader = isForOne ? me : nil
        }
        return result
    }

    /// Pings, pongs and barriers are for one node alone.
    private var isForOne: Bool { levels.reduce(0) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 } == 6 }
}

/// What a client sends.
enum UpFrame {
    case connect
    case subscribe([String])
    case publish(Packet)
    /// The connection ended without a goodbye: the broker says the will.
    case close
}

/// What the broker sends.
enum DownFrame {
    case accepted
    case publish(Packet, retained: Bool)
    /// The connection ended.
    case close
}

/// One connection of a node's program to the broker. Each end learns of its death by itself.
struct Connection {
    let node: Int
    let life: Int
    let id: ConnectionID
    let half: Int
    let will: Packet
    var isOpenAtClient = true
    var isOpenAtBroker = false
    var isRefused = false
    var subscriptions: [[UInt8]] = []
    /// Nothing gets through to the broker; it is kept and comes later, as TCP does it.
    var isUpBlocked = false
    /// Nothing gets through to the client.
    var isDownBlocked = false
    var upHeld: [UpFrame] = []
    var downHeld: [DownFrame] = []
    var upLast: Int64 = 0
    var downLast: Int64 = 0
    /// Packets on their way to the client.
    var inflight = 0
    /// Whether a packet was lost although the connection holds: the network mends that by ending it.
    var isLossy = false

    init(node: Int, life: Int, id: ConnectionID, half: Int, will: Packet) {
        self.node = node
        self.life = life
        self.id = id
        self.half = half
        self.will = will
    }
}

/// What one half of the broker has retained, now and in its file.
struct Broker {
    var isUp = true
    /// The connections that are open, as indices, oldest first.
    var open: [Int] = []
    var retained: [String: Packet] = [:]
    private var saved: [String: Packet] = [:]

    mutating func save() { saved = retained }

    /// Back from its file, or with nothing.
    mutating func restore(keeps: Bool) { retained = keeps ? saved : [:] }

    mutating func keep(_ packet: Packet) {
        retained[packet.topic] = packet.payload.isEmpty ? nil : packet
    }

    /// What is retained under a filter, in the order of topics.
    func retained(under filter: [UInt8]) -> [Packet] {
        retained.values.filter { TopicFilter.matches(filter, $0.levels) }.sorted { $0.topic < $1.topic }
    }
}

/// MQTT's filters, as far as nodes use them: `+` for one level.
enum TopicFilter {
    static func matches(_ filter: [UInt8], _ topic: [UInt8]) -> Bool {
        // From the end: all topics of a space begin alike.
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
