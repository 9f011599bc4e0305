// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// Connections between the programs and the broker.
extension World {
    /// The silence after which a client closes its connection. The broker waits 1.5 times as long.
    private static let keepalive: Milliseconds = .seconds(10)

    mutating func dialLater(_ node: Int, after time: Milliseconds) {
        queue.add(.dial(node, life: machines[node].life), at: now + time)
    }

    mutating func dial(_ node: Int, life: Int) {
        let machine = machines[node]
        guard machine.isAlive, machine.life == life, machine.connection == nil else { return }
        let isReachable = brokers[machine.half].isUp && machine.cutUntil <= now
        guard isReachable, !machine.isNapping, let id = Names.connection(connections.count) else {
            return dialLater(node, after: isHealed ? 500 : schedule.draw(200...4_000))
        }
        let will = machine.core.will(of: id, at: machine.clock.instant(at: now))
        connections.append(Connection(node: node, life: life, id: id, half: machine.half, will: Packet(will)))
        machines[node].connection = connections.count - 1
        tell("\(Names.node(node)) dials as \(id)")
        send(.connect, on: connections.count - 1)
    }

    private mutating func delay() -> Microseconds {
        Microseconds(mix.latency + (mix.jitter > 0 ? network.draw(0...mix.jitter) : 0))
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
        // A presence has no version and relies on MQTT, which keeps the order within a topic.
        guard network.chance(mix.reorders), !isPresence(frame) else { return sendInOrder(frame, on: index) }
        connections[index].inflight += 1
        underWay += 1
        queue.add(.down(index, frame), at: now + delay() + Microseconds(network.draw(0...mix.reorderBy * 1_000)))
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
        case .unsubscribe(let filters):
            if connections[index].isOpenAtBroker { unsubscribe(index, from: filters) }
        case .publish(let packet, let number):
            guard connections[index].isOpenAtBroker else { return }
            if let number, let refusal = machines[connections[index].node].refusal, refusal.until > now {
                return refuse(number, mode: refusal.mode, on: index)
            }
            witnessArrival(of: packet, from: connections[index].node)
            distribute(packet, at: connections[index].half, bridged: false, from: index)
            if let number { confirm(number, .delivered, on: index) }
        }
    }

    /// Sends a confirmation in order. It draws no delay, so that other packets keep theirs.
    private mutating func confirm(_ number: NodeCore.MessageNumber, _ outcome: NodeCore.Confirmation, on index: Int) {
        queue.add(
            .down(index, .confirmed(number, outcome)),
            at: max(connections[index].downLast, now + Microseconds(mix.latency)))
    }

    private mutating func refuse(_ number: NodeCore.MessageNumber, mode: Int, on index: Int) {
        counters.add(.messageRefused)
        // The node sends a lost answer again after a second, and drops a refused one. So no answer is due now.
        witness.nodes[connections[index].node].owed = [:]
        connections[index].isLossy = true
        let outcomes: [NodeCore.Confirmation] = [.refused(isTooLarge: false), .refused(isTooLarge: true), .lost]
        confirm(number, outcomes[mode % 3], on: index)
    }

    mutating func arriveConfirmation(of number: NodeCore.MessageNumber, _ outcome: NodeCore.Confirmation, on index: Int)
    {
        if connections[index].isDownBlocked { return connections[index].downHeld.append(.confirmed(number, outcome)) }
        if isInUse(index) { feed(.sent(number, outcome), to: connections[index].node) }
    }

    /// Whether the program that made a connection still uses it.
    private func isInUse(_ index: Int) -> Bool {
        let node = connections[index].node
        return connections[index].isOpenAtClient && machines[node].connection == index
            && machines[node].life == connections[index].life
    }

    mutating func arriveDown(_ frame: DownFrame, on index: Int) {
        if case .confirmed(let number, let outcome) = frame {
            return arriveConfirmation(of: number, outcome, on: index)
        }
        if connections[index].isDownBlocked { return connections[index].downHeld.append(frame) }
        underWay -= 1
        connections[index].inflight -= 1
        guard isInUse(index) else { return }
        let node = connections[index].node
        switch frame {
        case .accepted:
            machines[node].isLinked = true
            feed(.connected(connections[index].id, hearsItself: mix.noLocal == 0), to: node)
        case .publish(let packet, let retained): hear(packet, retained: retained, at: node)
        case .confirmed: break
        case .close: closeAtClient(index)
        }
    }

    /// Closes the client's end. Frames that it had sent arrive before the broker detects that.
    mutating func closeAtClient(_ index: Int, redialAfter time: Milliseconds? = nil, willRetry: Bool = true) {
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
            feed(.disconnected(willRetry: willRetry), to: node)
        }
        dialLater(node, after: time ?? (isHealed ? 200 : schedule.draw(0...2_000)))
    }

    /// Closes the broker's end and publishes the will.
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

    mutating func block(_ index: Int, up: Bool, down: Bool, for time: Milliseconds) {
        disturb(connections[index].node)
        connections[index].isUpBlocked = connections[index].isUpBlocked || up
        connections[index].isDownBlocked = connections[index].isDownBlocked || down
        queue.add(.unblock(index), at: now + time)
        queue.add(.clientTimeout(index), at: now + Self.keepalive)
        queue.add(.brokerTimeout(index), at: now + 3 * Self.keepalive / 2)
        counters.add(up && down ? .halfOpen : .oneWay)
    }

    mutating func unblock(_ index: Int) {
        disturb(connections[index].node)
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
