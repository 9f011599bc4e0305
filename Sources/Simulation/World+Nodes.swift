// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The shell of each node: it feeds the engine and carries out what comes of it, exactly as the real one does, and dies
/// between any two effects when its time has come.
extension World {
    func instant(_ node: Int) -> Instant { machines[node].clock.instant(at: now) }

    /// Hands an input over and carries out all that it leads to.
    mutating func feed(_ input: Input, to node: Int) {
        guard machines[node].isAlive else { return }
        guard !machines[node].isNapping else { return machines[node].backlog.append(input) }
        var inputs: [Input] = []
        guard take(input, at: node, into: &inputs) else { return }
        var index = 0
        while index < inputs.count, violation == nil {
            guard take(inputs[index], at: node, into: &inputs) else { return }
            index += 1
        }
        armWake(node)
        releaseRecords(of: node)
    }

    /// - Parameter inputs: What the effects lead to at once.
    /// - Returns: Whether the program lives on, and nothing is wrong.
    private mutating func take(_ input: Input, at node: Int, into inputs: inout [Input]) -> Bool {
        let life = machines[node].life
        let instant = instant(node)
        let before = machines[node].seen
        seenBefore = before
        timeBefore = machines[node].engine.groupTime(instant)
        witnessInput(input, at: node, boot: instant.boot)
        let expected = expect(input, at: node)
        let effects = machines[node].handle(input, at: instant)
        tell("\(Names.node(node)) < \(Telling.line(input))")
        for effect in effects {
            // A record is but noted down: to die before it or behind it is the same.
            if !effect.isRecord, isDoomed(node) { return false }
            carryOut(effect, of: node, into: &inputs)
            guard machines[node].life == life, violation == nil else { return false }
        }
        check(expected, after: input, before: before, at: node)
        return true
    }

    private mutating func carryOut(_ effect: Effect, of node: Int, into inputs: inout [Input]) {
        tell("\(Names.node(node)) > \(Telling.line(effect))")
        switch effect {
        case .journal(let journal, let write):
            if let doom = machines[node].doom, doom.effects == 0, schedule.chance(500) {
                return die(node, loss: doom.loss, down: doom.down)
            }
            witnessChange(to: journal, at: node)
            witnessRecord(journal, write, of: node)
            if self.write(journal, write, of: node) { inputs.append(.journalled(write)) }
            if machines[node].disk == .full { inputs.append(.journalFailed(write)) }
        case .publish(let message):
            witnessPublish(message, by: node)
            publish(message, by: node)
        case .barrier(let connection):
            guard let link = openConnection(of: node) else { return }
            let barrier = machines[node].codec.barrier(connection)
            send(.subscribe(machines[node].codec.subscriptions), on: link)
            send(.publish(packet(barrier)), on: link)
        case .reply(let ticket, let reply): witnessReply(reply, to: ticket, at: node)
        case .log(let note): witnessNote(note, at: node)
        case .record(let register, let isApproximate):
            if rules.contains(.recordsHeld) {
                return machines[node].outbox.hold(register, isApproximate: isApproximate)
            }
            machines[node].outbox.restored(
                LedgerRecord(register, isApproximate: isApproximate), at: instant(node).boot)
            sendRecords(of: node)
        }
    }

    /// - Returns: Whether the journal is on disk.
    private mutating func write(_ journal: Journal, _ number: Int, of node: Int) -> Bool {
        if machines[node].disk != .full {
            machines[node].outbox.secure(except: journal.own?.id, write: number)
        }
        switch machines[node].disk {
        case .full:
            counters.add(.diskFull)
            machines[node].isFailing = true
            machines[node].failed = number
            return false
        case .good where machines[node].diskLast <= now:
            machines[node].write(journal)
            machines[node].isFailing = false
            machines[node].safe = number
            witnessRecords(upTo: number, of: node)
            witnessWritten(journal, by: node)
            return true
        case .good, .slow:
            // However long the queue, a disk that works empties it within five seconds.
            let duration = Int64(schedule.draw(100...(isHealed ? 200 : 900_000)))
            machines[node].diskLast = min(max(now, machines[node].diskLast) + duration, now + 5_000_000)
            let event = Event.written(node, life: machines[node].life, journal, number)
            queue.add(event, at: machines[node].diskLast)
            return false
        }
    }

    private func openConnection(of node: Int) -> Int? {
        machines[node].connection.flatMap { connections[$0].isOpenAtClient && machines[node].isLinked ? $0 : nil }
    }

    private func packet(_ outgoing: Outgoing) -> Packet {
        Packet(topic: outgoing.topic, payload: outgoing.payload, retain: outgoing.retain)
    }

    private mutating func publish(_ message: Message, by node: Int) {
        let outgoing = machines[node].codec.encode(message)
        let spoken = Dialect.speak(outgoing.payload, dialect: machines[node].dialect)
        trace.note(spoken, at: now)
        switch message {
        case .ping, .pong: break
        default: said += 1
        }
        let packet = Packet(topic: outgoing.topic, payload: spoken, retain: outgoing.retain)
        witnessPayload(packet, of: message, by: node)
        if history.count < 400 { history.append(packet) } else { history[trace.count % 400] = packet }
        guard let link = openConnection(of: node) else { return }
        send(.publish(packet), on: link)
        if case .presence(let presence) = message, presence.online { introduce(link) }
    }

    /// Something arrived from the broker.
    mutating func hear(_ packet: Packet, retained: Bool, at node: Int) {
        let instant = instant(node)
        switch packet.decoded(
            by: machines[node].codec, retained: retained, now: machines[node].engine.groupTime(instant))
        {
        case .message(let message, let from): feed(.received(message, from: from, retained: retained), to: node)
        case .barrier(let id):
            feed(.barrierPassed(id), to: node)
            linkRecords(of: node, isUp: true)
        case .erased(let from): feed(.erased(from: from), to: node)
        case .discard(let reason, let from): feed(.discarded(reason, from: from), to: node)
        case .feed, .sound, .record, .ledgerAck, .ignored: break
        }
    }

    private mutating func armWake(_ node: Int) {
        // A stamp of the year 2099 asks for a time that no world reaches.
        guard let wake = machines[node].nextWake, wake - instant(node).boot < 1_000_000_000 else {
            return machines[node].armedFor = nil
        }
        guard wake != machines[node].armedFor else { return }
        machines[node].armedFor = wake
        var time = max(machines[node].clock.time(ofBoot: wake), now)
        if mix.wakeLate > 0 { time += Int64(schedule.draw(0...mix.wakeLate * 1_000)) }
        queue.add(.wake(node, life: machines[node].life, boot: wake), at: time)
    }

    /// Whether the program dies here. Called at each boundary between two effects.
    private mutating func isDoomed(_ node: Int) -> Bool {
        guard let doom = machines[node].doom else { return false }
        if doom.effects > 0 {
            machines[node].doom = (doom.effects - 1, doom.loss, doom.down)
            return false
        }
        die(node, loss: doom.loss, down: doom.down)
        return true
    }

    /// The program ends. What the kernel was given to send still leaves, then the connection closes.
    mutating func die(_ node: Int, loss: Int, down milliseconds: Int) {
        guard machines[node].isAlive else { return }
        tell("\(Names.node(node)) dies")
        if let own = machines[node].onDisk?.own, own.version > witness.nodes[node].version ?? own.version {
            counters.add(.crashBeforePublish)
        }
        machines[node].isAlive = false
        machines[node].life += 1
        machines[node].doom = nil
        machines[node].isNapping = false
        machines[node].backlog = []
        machines[node].armedFor = nil
        machines[node].open = [:]
        machines[node].diskLast = 0
        machines[node].isFailing = false
        machines[node].failed = 0
        machines[node].safe = 0
        machines[node].retryAt = nil
        if machines[node].lose(loss, depth: schedule.draw(1...4)) {
            counters.add(loss == 2 ? .journalLost : .journalTailLost)
            forget(node)
        }
        if let link = machines[node].connection {
            machines[node].connection = nil
            machines[node].isLinked = false
            connections[link].isOpenAtClient = false
            send(.close, on: link)
        }
        queue.add(.launch(node, life: machines[node].life), at: now + Int64(milliseconds) * 1_000)
    }

    mutating func launch(_ node: Int, life: Int) {
        guard !machines[node].isAlive, machines[node].life == life else { return }
        let journal = readBack(node)
        guard let engine = newEngine(of: node) else { return }
        machines[node].replace(engine)
        machines[node].isAlive = true
        machines[node].outbox = Outbox(rules.contains(.recordsSecured) ? machines[node].outbox.shelf : Shelf())
        witness.relaunch(node, own: journal?.own)
        tell("\(Names.node(node)) is launched")
        if let record = journal?.record { machines[node].outbox.restored(record, at: instant(node).boot) }
        feed(.restored(journal), to: node)
        guard machines[node].isAlive, machines[node].life == life else { return }
        dialLater(node, after: schedule.draw(0...50))
    }

    /// The journal through its own bytes.
    private mutating func readBack(_ node: Int) -> Journal? {
        guard let journal = machines[node].onDisk else { return nil }
        do {
            let read = try Journal(json: journal.json())
            if read != journal { fail(.journalCodec, "\(Names.node(node)) reads back another journal") }
            return read
        } catch {
            fail(.journalCodec, "\(Names.node(node)): \(error)")
            return nil
        }
    }
}

extension Effect {
    fileprivate var isRecord: Bool {
        if case .record = self { true } else { false }
    }
}
