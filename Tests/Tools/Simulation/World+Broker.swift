// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

extension World {
    /// Accepts a client. An older connection of the same client id is closed, and its will published.
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

    mutating func subscribe(_ index: Int, to filters: [NodeCore.Filter]) {
        let added = filters.map { Connection.Subscription(filter: Array($0.topics.utf8), isNoLocal: $0.isNoLocal) }
        connections[index].subscriptions += added
        if mix.noRetained != 0 { counters.add(.noWildcardRetained) }
        if mix.noRetained == 2 { return }
        for subscription in added where mix.noRetained == 0 || !subscription.filter.contains(UInt8(ascii: "+")) {
            for packet in brokers[connections[index].half].retained(under: subscription.filter) {
                sendDown(.publish(packet, retained: true), on: index)
            }
        }
    }

    mutating func unsubscribe(_ index: Int, from filters: [String]) {
        let filters = filters.map { Array($0.utf8) }
        connections[index].subscriptions.removeAll { filters.contains($0.filter) }
    }

    /// Sends a packet to all subscribers and over the bridge, and retains it if its flag says so.
    mutating func distribute(_ packet: Packet, at half: Int, bridged: Bool, from author: Int? = nil) {
        guard brokers[half].isUp else { return }
        let isKept = packet.retain && (!bridged || mix.unshared == 0 || packet.payload.isEmpty)
        if isKept { brokers[half].keep(packet) }
        lieInReply(to: packet, at: half)
        for index in brokers[half].open where connections[index].gets(packet, isOwn: index == author) {
            sendDown(.publish(packet, retained: false), on: index)
        }
        if !bridged, brokers.count == 2, isBridgeUp { cross(packet, to: 1 - half) }
    }

    private mutating func cross(_ packet: Packet, to half: Int) {
        underWay += 1
        brokers[half].bridgedLast = max(brokers[half].bridgedLast, now + Microseconds(mix.latency))
        queue.add(.bridged(half, packet), at: brokers[half].bridgedLast)
    }

    /// Raises the bridge: each half gets the retained messages of the other, even where its own were newer. Halves that
    /// keep them separately exchange nothing.
    mutating func raiseBridge(_ number: Int) {
        guard number == bridgeBreaks, !isBridgeUp else { return }
        guard brokers.allSatisfy(\.isUp) else { return queue.add(.bridgeUp(number), at: now + 300) }
        isBridgeUp = true
        if mix.unshared != 0 { return }
        counters.add(.bridgeSwapped)
        for half in brokers.indices {
            let packets = brokers[half].retained
            for topic in packets.keys.sorted() {
                if let packet = packets[topic] { cross(packet, to: 1 - half) }
            }
        }
    }

    mutating func breakBridge(for time: Milliseconds) {
        guard brokers.count == 2 else { return }
        isBridgeUp = false
        if mix.unshared != 0 { witness.isParted = true }
        bridgeBreaks += 1
        queue.add(.bridgeUp(bridgeBreaks), at: now + time)
    }

    mutating func crashBroker(_ half: Int, keeps: Bool, down time: Milliseconds) {
        witness.hasDied = true
        let held = brokers[half].retained.count
        brokers[half].isUp = false
        brokers[half].restore(keeps: keeps)
        if brokers[half].retained.count < held { counters.add(.retainedLost) }
        breakBridge(for: time + 100)
        for index in brokers[half].open { closeAtBroker(index, saysWill: false) }
        queue.add(.brokerUp(half), at: now + time)
    }

    /// Checks that the broker keeps no other register of a node than the one that the node published last. It may have
    /// lost that register. Where the halves share no retained messages, only the node's half has it.
    mutating func checkKept() {
        for machine in machines where machine.isLinked {
            // While a session is not announced, the broker keeps the earlier one.
            guard let own = machine.own, witness.nodes[machine.index].published[own.version] == own else { continue }
            let topic = machine.codec.topics.name(of: .own(.session, of: machine.id))
            for half in brokers.indices where half == machine.half || mix.unshared == 0 {
                guard let kept = brokers[half].retained[topic] else { continue }
                let read = kept.decoded(by: machine.codec, retained: true, now: 0)
                if read == .message(.register(own), from: machine.id) { continue }
                guard case .message(let found, _) = read else {
                    return fail(.brokerKeeps, "half \(half) keeps what nodes discard, not \(EventText.line(own))")
                }
                fail(.brokerKeeps, "half \(half) keeps \(EventText.line(found)), not \(EventText.line(own))")
            }
        }
    }
}
