// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The model broker.
extension World {
    /// A client was let in: an older connection of the same client id is closed, and its will said.
    mutating func accept(_ index: Int) {
        let connection = connections[index]
        guard !connection.isRefused, brokers[connection.half].isUp else { return sendDown(.close, on: index) }
        for other in brokers[connection.half].open where connections[other].node == connection.node {
            closeAtBroker(other)
        }
        connections[index].isOpenAtBroker = true
        brokers[connection.half].open.append(index)
        sendDown(.accepted, on: index)
    }

    mutating func subscribe(_ index: Int, to filters: [String]) {
        let filters = filters.map { Array($0.utf8) }
        connections[index].subscriptions += filters
        guard mix.noRetained == 0 else { return counters.add(.noWildcardRetained) }
        for filter in filters {
            for packet in brokers[connections[index].half].retained(under: filter) {
                sendDown(.publish(packet, retained: true), on: index)
            }
        }
    }

    /// Keeps what is retained, and sends it to all who subscribed, and over the bridge.
    mutating func distribute(_ packet: Packet, at half: Int, bridged: Bool) {
        guard brokers[half].isUp else { return }
        if packet.retain { brokers[half].keep(packet) }
        lieInReply(to: packet, at: half)
        for index in brokers[half].open
        where connections[index].subscriptions.contains(where: { TopicFilter.matches($0, packet.levels) }) {
            sendDown(.publish(packet, retained: false), on: index)
        }
        if !bridged, brokers.count == 2, isBridgeUp { cross(packet, to: 1 - half) }
    }

    private mutating func cross(_ packet: Packet, to half: Int) {
        underWay += 1
        queue.add(.bridged(half, packet), at: now + Int64(mix.latency))
    }

    /// The bridge is back: each half hears what the other has retained, and keeps it, even where its own was newer.
    mutating func raiseBridge(_ number: Int) {
        guard number == bridgeBreaks, !isBridgeUp else { return }
        guard brokers.allSatisfy(\.isUp) else { return queue.add(.bridgeUp(number), at: now + 300_000) }
        isBridgeUp = true
        counters.add(.bridgeSwapped)
        for half in brokers.indices {
            let packets = brokers[half].retained
            for topic in packets.keys.sorted() {
                if let packet = packets[topic] { cross(packet, to: 1 - half) }
            }
        }
    }

    mutating func breakBridge(for milliseconds: Int) {
        guard brokers.count == 2 else { return }
        isBridgeUp = false
        bridgeBreaks += 1
        queue.add(.bridgeUp(bridgeBreaks), at: now + Int64(milliseconds) * 1_000)
    }

    mutating func crashBroker(_ half: Int, keeps: Bool, down milliseconds: Int) {
        let held = brokers[half].retained.count
        brokers[half].isUp = false
        brokers[half].restore(keeps: keeps)
        if brokers[half].retained.count < held { counters.add(.retainedLost) }
        breakBridge(for: milliseconds + 100)
        for index in brokers[half].open { closeAtBroker(index, saysWill: false) }
        queue.add(.brokerUp(half), at: now + Int64(milliseconds) * 1_000)
    }
}
