// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// The shell of each node. It feeds the core and carries out its actions, and can die between any two.
extension World {
    func instant(_ node: Int) -> Instant { machines[node].clock.instant(at: now) }

    /// Feeds an event to a node, carries out all resulting actions, and checks the node at rest.
    mutating func feed(_ event: NodeCore.Event, to node: Int, meaning input: Input? = nil) {
        guard machines[node].isAlive else { return }
        guard !machines[node].isNapping else { return machines[node].backlog.append(event) }
        let input = input ?? meaning(of: event, at: node)
        liarsMessage = if case .received(let message, liar?.node, _) = input { message } else { nil }
        machines[node].add(event)
        var handled: [Handled] = []
        var known: Input? = input
        while let actions = next(of: node, meaning: known, noting: &handled) {
            guard carryOut(actions, of: node) else { return }
            known = nil
        }
        for entry in handled { check(entry.expectation, after: entry.input, before: entry.before, at: node) }
        armWake(node)
    }

    /// An input that a node has handled since its last rest.
    private struct Handled {
        var input: Input
        var expectation: Expectation
        var before: NodeSnapshot
    }

    /// Has a node handle its next event, or rest after the last one. Returns its actions; `nil` if it already rests.
    private mutating func next(
        of node: Int, meaning known: Input?, noting handled: inout [Handled]
    ) -> [NodeCore.Action]? {
        let instant = instant(node)
        guard let event = machines[node].nextEvent else { return machines[node].next(meaning: nil, at: instant) }
        let input = known ?? meaning(of: event, at: node)
        let before = machines[node].seen
        timeBefore = machines[node].engine.groupTime(instant)
        witness.nodes[node].latest = max(witness.nodes[node].latest, timeBefore)
        witnessInput(input, at: node, boot: instant.boot)
        handled.append(Handled(input: input, expectation: expect(input, at: node), before: before))
        let actions = machines[node].next(meaning: input, at: instant)
        tell("\(Names.node(node)) < \(EventText.line(event, meaning: input))")
        if case .written(let write) = event { witnessDecisions(upTo: write, at: node) }
        // A request follows the session of the moment, also between two rests.
        if isLiarPresent, let shown = machines[node].engine.view(at: instant).register, shown.owner == liar?.node {
            witness.nodes[node].lineagesOfLiar.insert(shown.lineage)
        }
        witnessOwedAnswers(of: input, in: actions ?? [], at: node)
        return actions
    }

    /// Carries out actions. Returns whether the program still lives and no check has failed.
    private mutating func carryOut(_ actions: [NodeCore.Action], of node: Int) -> Bool {
        let life = machines[node].life
        for action in actions {
            if action.isBoundary, diesIfDoomed(node) { return false }
            carryOut(action, of: node)
            guard machines[node].life == life, violation == nil else { return false }
        }
        return violation == nil
    }

    /// The engine's input for an event, decoded independently of the core; `wake` if there is none.
    private func meaning(of event: NodeCore.Event, at node: Int) -> Input {
        switch event {
        case .restored(let found): return .restored(found.journal)
        case .connected(let id, let hearsItself): return .linkUp(id, hearsItself: hearsItself)
        case .disconnected: return .linkDown
        case .writeFailed(let write): return .journalFailed(write)
        case .input(let input): return input
        case .received(let packet):
            let read = Packet(topic: packet.topic, payload: packet.payload, retain: packet.isRetained)
            return meaning(of: read, retained: packet.isRetained, at: node)
        case .sent, .written, .recordsRead, .added: return .wake
        }
    }

    private func meaning(of packet: Packet, retained: Bool, at node: Int) -> Input {
        let (codec, engine) = (machines[node].codec, machines[node].engine)
        switch packet.decoded(by: codec, retained: retained, now: engine.groupTime(instant(node))) {
        case .message(let message, let from): return .received(message, from: from, retained: retained)
        case .barrier(let id): return .barrierPassed(id)
        case .erased(let from, let isPresence): return .erased(from: from, isPresence: isPresence)
        case .discard(let reason, let from): return .discarded(reason, from: from)
        case .feed, .sound, .record, .ledgerAck, .ignored: return .wake
        }
    }

    private mutating func carryOut(_ action: NodeCore.Action, of node: Int) {
        if action.isBoundary { tell("\(Names.node(node)) > \(EventText.line(action))") }
        switch action {
        case .write(let write):
            if let doom = machines[node].doom, doom.effects == 0, schedule.chance(500) {
                return die(node, loss: doom.loss, down: doom.down)
            }
            witnessChange(to: write, at: node)
            witnessRecord(write.journal, write.number, of: node)
            if self.write(write, of: node) { machines[node].add(.written(write.number)) }
            if machines[node].disk == .full { machines[node].add(.writeFailed(write.number)) }
        case .send(let outgoing, let number, of: let message?):
            witnessPublish(message, by: node)
            publish(outgoing, number, of: message, by: node)
        case .send(let outgoing, _, of: nil): sendRecord(outgoing, of: node)
        case .subscribe(let filters, let barrier):
            guard let link = openConnection(of: node) else { return }
            send(.subscribe(filters), on: link)
            send(.publish(Packet(barrier), nil), on: link)
        case .unsubscribe(let filters): if let link = openConnection(of: node) { send(.unsubscribe(filters), on: link) }
        case .makeWay(let time): if let link = openConnection(of: node) { queue.add(.rest(link, time), at: now) }
        case .reply(let ticket, let reply): witnessReply(reply, to: ticket, at: node)
        case .log(.engine(let note)): witnessNote(note, at: node)
        case .changeRecords(let changes): for change in changes { machines[node].records.apply(change) }
        case .readRecords(let ids): machines[node].add(.recordsRead(machines[node].records.acknowledged(ids)))
        case .log, .deliver, .answerConfirmed, .presenceConfirmed, .registersConfirmed, .caughtUp, .show: break
        }
    }

    /// Writes a journal as the disk allows. Returns whether it is on disk.
    private mutating func write(_ write: NodeCore.Write, of node: Int) -> Bool {
        if machines[node].disk != .full { machines[node].records.put(write) }
        switch machines[node].disk {
        case .full:
            counters.add(.diskFull)
            disturb(node)
            machines[node].isFailing = true
            machines[node].failed = write.number
            return false
        case .good where machines[node].isDiskIdle:
            machines[node].write(write)
            machines[node].isFailing = false
            witnessRecords(upTo: write.number, of: node)
            witnessWritten(write.journal, by: node)
            return true
        case .good, .slow:
            disturb(node)
            // A disk that works empties any queue within five seconds.
            let duration = Microseconds(schedule.draw(100...(isHealed ? 200 : 900_000)))
            machines[node].diskLast = min(max(now, machines[node].diskLast) + duration, now + .seconds(5))
            let event = Event.written(node, life: machines[node].life, write)
            machines[node].writing += 1
            queue.add(event, at: machines[node].diskLast)
            return false
        }
    }

    private func openConnection(of node: Int) -> Int? {
        machines[node].connection.flatMap { connections[$0].isOpenAtClient && machines[node].isLinked ? $0 : nil }
    }

    private mutating func publish(
        _ outgoing: Outgoing, _ number: NodeCore.MessageNumber?, of message: Message, by node: Int
    ) {
        let spoken = Dialect.speak(outgoing.payload, dialect: machines[node].dialect)
        trace.note(spoken, at: now)
        switch message {
        case .ping, .pong: break
        case .hello:
            hellos += 1
            published[node] += 1
        default: published[node] += 1
        }
        let packet = Packet(topic: outgoing.topic, payload: spoken, retain: outgoing.retain)
        witnessPayload(packet, of: message, by: node)
        if history.count < 400 { history.append(packet) } else { history[trace.count % 400] = packet }
        guard let link = openConnection(of: node) else { return }
        send(.publish(packet, number), on: link)
        if case .presence(let presence) = message, presence.isOnline { introduce(link) }
    }

    mutating func hear(_ packet: Packet, retained: Bool, at node: Int) {
        let event = NodeCore.Packet(topic: packet.topic, payload: packet.payload, isRetained: retained)
        feed(.received(event), to: node, meaning: meaning(of: packet, retained: retained, at: node))
    }

    private mutating func armWake(_ node: Int) {
        // A stamp of 2099 asks for a wake that no world reaches.
        guard let wake = machines[node].core.nextWake, wake - instant(node).boot < .seconds(1_000_000) else {
            return machines[node].armedFor = nil
        }
        guard wake != machines[node].armedFor else { return }
        machines[node].armedFor = wake
        var time = max(machines[node].clock.time(ofBoot: wake), now)
        if mix.wakeLate > 0 { time = time + Microseconds(schedule.draw(0...mix.wakeLate * 1_000)) }
        queue.add(.wake(node, life: machines[node].life, boot: wake), at: time)
    }

    /// Lets a doomed program die at a boundary between two actions, and returns whether it died.
    private mutating func diesIfDoomed(_ node: Int) -> Bool {
        guard let doom = machines[node].doom else { return false }
        if doom.effects > 0 {
            machines[node].doom = (doom.effects - 1, doom.loss, doom.down)
            return false
        }
        die(node, loss: doom.loss, down: doom.down)
        return true
    }

    /// Ends the program. Data that the kernel holds still leaves, then the connection closes.
    mutating func die(_ node: Int, loss: Int, down time: Milliseconds) {
        guard machines[node].isAlive else { return }
        witness.hasDied = true
        tell("\(Names.node(node)) dies")
        if let own = machines[node].onDisk?.journal.own, own.version > witness.nodes[node].version ?? own.version {
            counters.add(.crashBeforePublish)
        }
        machines[node].isAlive = false
        machines[node].life += 1
        machines[node].doom = nil
        machines[node].isNapping = false
        machines[node].isSleeping = false
        machines[node].backlog = []
        machines[node].armedFor = nil
        machines[node].open = [:]
        machines[node].diskLast = .start
        machines[node].writing = 0
        machines[node].isFailing = false
        machines[node].failed = 0
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
        queue.add(.launch(node, life: machines[node].life), at: now + time)
    }

    mutating func launch(_ node: Int, life: Int) {
        guard !machines[node].isAlive, machines[node].life == life else { return }
        let journal = readBack(node)
        guard let core = newCore(of: node, in: machines[node].codec.topics.space) else { return }
        machines[node].replace(core)
        machines[node].isAlive = true
        // rule: recordsSecured, else: machines[node].records = RecordFiles()
        disturb(node)
        witness.relaunch(node, journal)
        tell("\(Names.node(node)) is launched")
        feed(.restored(machines[node].records.restored(with: journal)), to: node)
        guard machines[node].isAlive, machines[node].life == life else { return }
        dialLater(node, after: schedule.draw(0...50))
    }

    private mutating func readBack(_ node: Int) -> Journal? {
        guard let write = machines[node].onDisk else { return nil }
        do {
            let read = try Journal(json: write.json)
            if read != write.journal { fail(.journalCodec, "\(Names.node(node)) reads back another journal") }
            return read
        } catch {
            fail(.journalCodec, "\(Names.node(node)): \(error)")
            return nil
        }
    }
}

extension NodeCore.Action {
    /// Whether a crash before it differs from a crash after it.
    fileprivate var isBoundary: Bool {
        switch self {
        case .write, .send(_, _, of: .some), .subscribe, .reply, .log(.engine): true
        default: false
        }
    }
}
