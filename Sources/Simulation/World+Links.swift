// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// Connections between the programs and the broker.
extension World {
    /// The shortest silence after which a client gives up, in microseconds; the broker waits half as long again.
    private static let keepalive: Int64 = 10_000_000

    mutating func dialLater(_ node: Int, after milliseconds: Int) {
        queue.add(.dial(node, life: machines[node].life), at: now + Int64(milliseconds) * 1_000)
    }

    mutating func dial(_ node: Int, life: Int) {
        let machine = machines[node]
        guard machine.isAlive, machine.life == life, machine.connection == nil else { return }
        let isReachable = brokers[machine.half].isUp && machine.cutUntil <= now
        guard isReachable, !machine.isNapping, let id = ConnectionID("c\(connections.count)") else {
            return dialLater(node, after: isHealed ? 500 : schedule.draw(200...4_000))
        }
        let presence = machine.engine.presence(at: machine.clock.instant(at: now), connection: id, online: true)
        let will = machine.codec.will(for: presence)
        connections.append(
            Connection(
                node: node, life: life, id: id, half: machine.half,
                will: Packet(topic: will.topic, payload: will.payload, retain: will.retain)))
        machines[node].connection = connections.count - 1
        tell("\(Names.node(node)) dials as \(id)")
        send(.connect, on: connections.count - 1)
    }

    private mutating func delay() -> Int64 {
        Int64(mix.latency + (mix.jitter > 0 ? network.draw(0...mix.jitter) : 0))
    }

    mutating func send(_ frame: UpFrame, on index: Int) {
        let arrival = max(connections[index].upLast, now + delay())
        connections[index].upLast = arrival
        underWay += 1
        queue.add(.up(index, frame), at: arrival)
    }

    mutating func sendDown(_ frame: DownFrame, on index: Int) {
        guard case .publish = frame else { return sendInOrder(frame, on: index) }
        if network.chance(mix.drops) || (mix.inflight > 0 && connections[index].inflight >= mix.inflight) {
            connections[index].isLossy = true
            counters.add(.packetLost)
            return
        }
        if network.chance(mix.duplicates) { sendInOrder(frame, on: index) }
        // A presence has no version: it relies on MQTT, which keeps the order within one topic.
        guard network.chance(mix.reorders), !isPresence(frame) else { return sendInOrder(frame, on: index) }
        connections[index].inflight += 1
        underWay += 1
        queue.add(.down(index, frame), at: now + delay() + Int64(network.draw(0...mix.reorderBy * 1_000)))
    }

    private func isPresence(_ frame: DownFrame) -> Bool {
        if case .publish(let packet, _) = frame { packet.topic.hasSuffix("presence") } else { false }
    }

    private mutating func sendInOrder(_ frame: DownFrame, on index: Int) {
        let arrival = max(connections[index].downLast, now + delay())
        connections[index].downLast = arrival
        connections[index].inflight += 1
        underWay += 1
        queue.add(.down(index, frame), at: arrival)
    }

    mutating func arriveUp(_ frame: UpFrame, on index: Int) {
        if connections[index].isUpBlocked { return connections[index].upHeld.append(frame) }
        underWay -= 1
        switch frame {
        case .connect: accept(index)
        case .close: closeAtBroker(index)
        case .subscribe(let filters):
            if connections[index].isOpenAtBroker { subscribe(index, to: filters) }
        case .publish(let packet):
            guard connections[index].isOpenAtBroker else { return }
            distribute(packet, at: connections[index].half, bridged: false)
        }
    }

    mutating func arriveDown(_ frame: DownFrame, on index: Int) {
        if connections[index].isDownBlocked { return connections[index].downHeld.append(frame) }
        underWay -= 1
        connections[index].inflight -= 1
        let node = connections[index].node
        guard connections[index].isOpenAtClient, machines[node].connection == index,
            machines[node].life == connections[index].life
        else { return }
        switch frame {
        case .accepted:
            machines[node].isLinked = true
            feed(.linkUp(connections[index].id), to: node)
        case .publish(let packet, let retained): hear(packet, retained: retained, at: node)
        case .close: closeAtClient(index)
        }
    }

    /// The client's end is closed; what it had sent arrives before the broker learns of it.
    mutating func closeAtClient(_ index: Int) {
        guard connections[index].isOpenAtClient else { return }
        connections[index].isOpenAtClient = false
        send(.close, on: index)
        let node = connections[index].node
        guard machines[node].connection == index, machines[node].life == connections[index].life else { return }
        machines[node].connection = nil
        let wasLinked = machines[node].isLinked
        machines[node].isLinked = false
        guard machines[node].isAlive else { return }
        if wasLinked {
            linkRecords(of: node, isUp: false)
            feed(.linkDown, to: node)
        }
        dialLater(node, after: isHealed ? 200 : schedule.draw(0...2_000))
    }

    /// The broker's end is closed, and the will said.
    mutating func closeAtBroker(_ index: Int, saysWill: Bool = true) {
        guard connections[index].isOpenAtBroker else {
            connections[index].isRefused = true
            return
        }
        connections[index].isOpenAtBroker = false
        brokers[connections[index].half].open.removeAll { $0 == index }
        sendDown(.close, on: index)
        if saysWill { distribute(connections[index].will, at: connections[index].half, bridged: false) }
    }

    mutating func block(_ index: Int, up: Bool, down: Bool, for milliseconds: Int) {
        connections[index].isUpBlocked = connections[index].isUpBlocked || up
        connections[index].isDownBlocked = connections[index].isDownBlocked || down
        queue.add(.unblock(index), at: now + Int64(milliseconds) * 1_000)
        queue.add(.clientTimeout(index), at: now + Self.keepalive)
        queue.add(.brokerTimeout(index), at: now + Self.keepalive * 3 / 2)
        counters.add(up && down ? .halfOpen : .oneWay)
    }

    mutating func unblock(_ index: Int) {
        connections[index].isUpBlocked = false
        connections[index].isDownBlocked = false
        let (up, down) = (connections[index].upHeld, connections[index].downHeld)
        connections[index].upHeld = []
        connections[index].downHeld = []
        for frame in up { arriveUp(frame, on: index) }
        for frame in down { arriveDown(frame, on: index) }
    }

    mutating func timeOutAtClient(_ index: Int) {
        let isBlocked = connections[index].isUpBlocked || connections[index].isDownBlocked
        if isBlocked, !machines[connections[index].node].isNapping { closeAtClient(index) }
    }

    mutating func timeOutAtBroker(_ index: Int) {
        let node = connections[index].node
        let isSilent = machines[node].isNapping && machines[node].life == connections[index].life
        if connections[index].isUpBlocked || isSilent { closeAtBroker(index) }
    }
}
