// SPDX-License-Identifier: Apache-2.0

import Core
import Session

extension World {
    mutating func perform(_ act: Act) {
        guard !isHealed else { return }
        tell("== \(Names.node(act.node)) \(act.kind.rawValue) \(act.numbers)")
        let node = act.node
        let numbers = act.numbers + [0, 0, 0]
        let times = numbers.map { Milliseconds($0) }
        switch act.kind {
        case .start: start(node, plan: numbers[0], auto: numbers[1] == 1, more: numbers[2], id: act.id)
        case .press: press(node, Plans.operation(numbers[0], id: act.id), sight: numbers[1], id: act.id)
        case .take: take(node, id: act.id)
        case .acknowledge: acknowledge(node, id: act.id)
        case .say: say(node, isOver: numbers[0] == 1, id: act.id)
        case .hangUp: hangUp(node)
        case .crash:
            if machines[node].isAlive { machines[node].doom = (numbers[0], numbers[1], times[2]) }
        case .powerCut: cutPower(node, loss: numbers[0], down: times[1])
        case .pause: nap(node, for: times[0])
        case .suspend:
            counters.add(.suspend)
            nap(node, for: times[0])
        case .sleep: sleep(node, for: times[0])
        case .refuse: refuse(node, mode: numbers[0], for: times[1])
        case .disk: breakDisk(of: node, mode: numbers[0], for: times[1])
        case .cut:
            machines[node].cutUntil = max(machines[node].cutUntil, now + times[1])
            if let link = machines[node].connection {
                block(link, up: numbers[0] & 1 != 0, down: numbers[0] & 2 != 0, for: times[1])
            }
        case .halfOpen:
            if let link = machines[node].connection { block(link, up: true, down: true, for: times[0]) }
        case .kick: if let link = machines[node].connection { closeAtBroker(link) }
        case .step: step(node, by: times[0])
        case .zombie:
            let dead = connections.indices.filter { connections[$0].node == node && !connections[$0].isOpenAtBroker }
            if let link = dead.last { distribute(connections[link].will, at: machines[node].half, bridged: false) }
        case .save: for half in brokers.indices { brokers[half].save() }
        case .brokerCrash:
            let half = numbers[0] % brokers.count
            if brokers[half].isUp { crashBroker(half, keeps: numbers[1] == 0, down: times[2]) }
        case .bridge: breakBridge(for: times[0])
        case .erase: publishAnonymously(Garbage.erasure(of: node, what: numbers[0]))
        case .replay: replay(numbers[0], retain: numbers[1] == 1)
        case .garbage: publishAnonymously(Garbage.packet(numbers[0], node: node, history: history))
        case .ghost: publishGhost(ahead: times[0], id: act.id)
        case .lie: lie(numbers[0], about: node, ahead: times[1], floods: false)
        case .flood: lie(0, about: node, ahead: 0, floods: true)
        case .lose: lose(node)
        case .hoax: hoax(numbers[0], about: node, error: times[1])
        case .revoke: revoke()
        case .barrage: barrage(node, of: numbers[0], id: act.id)
        }
    }

    mutating func start(_ node: Int, plan: Int, auto: Bool, more: Int = 0, id: Int) {
        guard machines[node].isAlive, let session = SessionID("S\(id)") else { return }
        let start = Plans.start(plan, auto: auto, more: more, id: id)
        feed(.input(.start(start, id: session, ticket: newTicket(node))), to: node)
    }

    mutating func press(_ node: Int, _ operation: IntentOperation, sight: Int, id: Int) {
        guard machines[node].isAlive, let intent = IntentID("I\(id)") else { return }
        var press = Press(operation)
        if case .extend(seconds: ..<0) = operation { counters.add(.shortened) }
        // The person looks at a picture that already shows the effect of a wall clock that was set.
        if machines[node].isStepUnnoticed { feed(.input(.wake), to: node) }
        guard machines[node].isAlive else { return }
        let moment = machines[node].seen.view.lastMoment(at: instant(node).boot)
        if let register = moment?.register {
            machines[node].sights.append((register.id, register.phase))
            if sight > 0 {
                let seen = machines[node].sights[max(0, machines[node].sights.count - 1 - sight)]
                press.session = seen.session
                press.phase = seen.phase
            }
            let current = current(at: node) ?? register
            // A press that names no session may take effect before or after what comes due in the same input. If no
            // session is live, it waits for one that other nodes know. Its target is not certain then.
            let isTargetCertain =
                press.session != nil
                || current.id == register.id && current.phase == register.phase && current.status.isLive
            let asked = Witness.Asked(
                session: press.session ?? register.id, phase: press.phase ?? register.phase, operation: operation,
                expiresAt: .distantFuture)
            if isTargetCertain, !machines[node].isNapping { witness.asked[intent] = asked }
            // Its owner counts as asked, although the session may be continued before the intent leaves.
            if liar?.owns(asked.session) == true { witness.askedOfLiar.insert(intent) }
        }
        feed(.input(.press(press, id: intent, ticket: newTicket(node))), to: node)
    }

    /// Corrects the title many times.
    private mutating func barrage(_ node: Int, of count: Int, id: Int) {
        counters.add(.barrage)
        for number in 0..<count {
            let id = 10_000 + 1_000 * id + number
            press(node, .correct(title: "Corrected \(id)", label: nil), sight: 0, id: id)
        }
    }

    /// The session that a node shows once everything that is due has happened.
    private func current(at node: Int) -> Register? {
        let instant = instant(node)
        return machines[node].woken(at: instant).view.lastMoment(at: instant.boot)?.register
    }

    private mutating func take(_ node: Int, id: Int) {
        guard machines[node].isAlive, let intent = IntentID("T\(id)") else { return }
        feed(.input(.take(id: intent, ticket: newTicket(node))), to: node)
    }

    private mutating func acknowledge(_ node: Int, id: Int) {
        guard machines[node].isAlive, let intent = IntentID("A\(id)") else { return }
        let moment = machines[node].seen.view.lastMoment(at: instant(node).boot)
        if let moment, let alarm = moment.alarm {
            counters.add(.alarmEnded)
            witness.endedAlarms[moment.register.lineage] = alarm.groupTime
        }
        witness.spoken.insert(intent)
        feed(.input(.acknowledge(id: intent, ticket: newTicket(node))), to: node)
    }

    private mutating func say(_ node: Int, isOver: Bool, id: Int) {
        guard machines[node].isAlive, let intent = IntentID("W\(id)") else { return }
        counters.add(.said)
        witness.spoken.insert(intent)
        feed(.input(.say(isOver ? "" : "Dinner \(id)", for: .days(1), id: intent, ticket: newTicket(node))), to: node)
    }

    private mutating func newTicket(_ node: Int) -> Ticket {
        machines[node].ticket += 1
        machines[node].open[machines[node].ticket] = now
        return machines[node].ticket
    }

    private mutating func hangUp(_ node: Int) {
        let ticket = machines[node].ticket
        guard machines[node].isAlive, !machines[node].isNapping, machines[node].open.removeValue(forKey: ticket) != nil
        else { return }
        counters.add(.hangUp)
        feed(.input(.hangUp(ticket)), to: node)
    }

    private mutating func cutPower(_ node: Int, loss: Int, down: Milliseconds) {
        guard machines[node].isAlive else { return }
        // The broker notices it when the keepalive expires.
        if let link = machines[node].connection {
            machines[node].connection = nil
            machines[node].isLinked = false
            connections[link].isOpenAtClient = false
            connections[link].isUpBlocked = true
            queue.add(.brokerTimeout(link), at: now + .seconds(15))
            queue.add(.unblock(link), at: now + .seconds(16))
        }
        die(node, loss: loss, down: down)
        machines[node].clock.reboot(at: now)
        witness.nodes[node].reboot(as: Names.node(node))
        counters.add(.reboot)
    }

    private mutating func nap(_ node: Int, for time: Milliseconds) {
        guard machines[node].isAlive else { return }
        machines[node].isNapping = true
        machines[node].nap += 1
        queue.add(.goOn(node, nap: machines[node].nap), at: now + time)
        if let link = machines[node].connection { queue.add(.brokerTimeout(link), at: now + .seconds(15)) }
    }

    mutating func goOn(_ node: Int, nap: Int) {
        guard machines[node].isNapping, machines[node].nap == nap else { return }
        machines[node].isNapping = false
        let life = machines[node].life
        disturb(node)
        while machines[node].life == life, !machines[node].backlog.isEmpty {
            feed(machines[node].backlog.removeFirst(), to: node)
        }
        guard machines[node].life == life, machines[node].isSleeping else { return }
        machines[node].isSleeping = false
        feed(.input(.sleeping(false)), to: node)
    }

    private mutating func sleep(_ node: Int, for time: Milliseconds) {
        guard machines[node].isAlive, !machines[node].isNapping else { return }
        counters.add(.announcedSleep)
        machines[node].isSleeping = true
        feed(.input(.sleeping(true)), to: node)
        nap(node, for: time)
    }

    private mutating func refuse(_ node: Int, mode: Int, for time: Milliseconds) {
        guard mode < 3 else {
            guard let link = machines[node].connection else { return }
            counters.add(.connectionGivenUp)
            let rest = Milliseconds(mix.trouble) - now.sinceStart
            return closeAtClient(link, redialAfter: min(time, rest), willRetry: false)
        }
        machines[node].refusal = (now + time, mode)
    }

    private mutating func breakDisk(of node: Int, mode: Int, for time: Milliseconds) {
        machines[node].disk = Machine.DiskMode(rawValue: mode) ?? .slow
        machines[node].trouble += 1
        queue.add(.repairDisk(node, trouble: machines[node].trouble), at: now + time)
    }

    /// Sets a wall clock. With a small skew it stays so near true time that all stamps are admitted.
    private mutating func step(_ node: Int, by change: Milliseconds) {
        // With a large skew the steps are large too.
        let step = mix.skew > 4_000 ? 3_000 * change : change
        let error = (machines[node].clock.wallError(at: now) + step).magnitude
        guard error <= 4_000 || mix.skew > 4_000 else { return }
        witnessErrors()
        machines[node].clock.step(by: step)
        witnessErrors()
        machines[node].isStepUnnoticed = true
        counters.add(.wallStep)
    }

    private mutating func replay(_ which: Int, retain: Bool) {
        guard !history.isEmpty else { return }
        let old = history[which % history.count]
        counters.add(.replayed)
        distribute(
            Packet(topic: old.topic, payload: old.payload, retain: retain || old.retain),
            at: which % brokers.count, bridged: false)
    }

    private mutating func publishAnonymously(_ packet: Packet) {
        distribute(packet, at: trace.count % brokers.count, bridged: false)
    }

    private mutating func publishGhost(ahead: Milliseconds, id: Int) {
        // A later session of a node has a later stamp.
        ghostStamp = max(ghostStamp + 1, now.date + ahead)
        guard let packet = Garbage.ghost(at: ghostStamp, id: id, space: "home") else { return }
        counters.add(.ghost)
        ghost = packet
        distribute(packet, at: id % brokers.count, bridged: false)
    }
}
