// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

extension World {
    /// The messages of a flood: more than a peer is allowed in a second.
    private static let flood = 280

    private func victim(_ node: Int) -> Liar.Victim {
        Liar.Victim(node: machines[node].id, own: machines[node].own, intent: lastIntent)
    }

    /// Whether writes wait for a disk. A flood would then make a longer queue than any real disk has.
    private func isBusy(_ node: Int) -> Bool { !machines[node].isDiskIdle }

    /// Makes the liar tell a lie, or send a flood of intents.
    mutating func lie(_ which: Int, about node: Int, ahead: Milliseconds, floods: Bool) {
        guard var liar, !isLiarRevoked, let lie = Liar.Lie(rawValue: abs(which) % Liar.Lie.allCases.count) else {
            return
        }
        let time = now.date
        introduce(&liar, at: time)
        if floods, isBusy(node) { return }
        let packets =
            floods ? liar.flood(victim(node), at: time) : liar.lie(lie, about: victim(node), ahead: ahead, at: time)
        counters.add(floods ? .flooded : .lied)
        say(packets, as: liar)
    }

    mutating func hoax(_ which: Int, about node: Int, error: Milliseconds) {
        guard var liar, !isLiarRevoked, let hoax = Hoax(rawValue: abs(which) % Hoax.allCases.count) else { return }
        let time = now.date
        introduce(&liar, at: time)
        // All nodes read a flood, not only its victim.
        let isLeftOut =
            hoax == .pongFlood ? isBusy(node) : hoax.makesVictimWrite && machines.indices.contains(where: isBusy)
        let packets = isLeftOut ? [] : packets(of: hoax, about: node, error: error, from: &liar, at: time)
        counters.add(.hoaxed)
        say(packets, as: liar)
    }

    private mutating func packets(
        of hoax: Hoax, about node: Int, error: Milliseconds, from liar: inout Liar, at time: GroupTime
    ) -> [Packet] {
        let id = machines[node].id
        func change(_ clock: FalseClock, isOnline: Bool = true) -> [Packet] {
            liar.change(clock, isOnline: isOnline, at: time)
        }
        switch hoax {
        case .clock: return change(FalseClock(ahead: error))
        case .unvouchedClock: return change(FalseClock(ahead: error, isVouched: false))
        case .twoFacedClock: return change(FalseClock(ahead: error, manner: .twoFaced))
        case .waveringClock: return change(FalseClock(ahead: error, manner: .wavering))
        case .impossibleBoot: return change(FalseClock(ahead: error, isBootImpossible: true))
        case .gone: return change(liar.falseClock ?? FalseClock(ahead: error), isOnline: false)
        case .objection:
            let claimed = min(max(time + error, Limits.time.lowerBound), Limits.time.upperBound)
            return machines[node].own.map { [liar.packet(.ack(.clock(node: id, session: $0.id, at: claimed)))] } ?? []
        case .ping: return liar.pings(1, to: id, ahead: error, at: time)
        case .pingFlood: return liar.pings(Self.flood, to: id, ahead: error, at: time)
        case .strangePong: return strangePongs(to: node, by: &liar, at: time)
        case .pongFlood: return pongFlood(to: node, by: &liar, at: time)
        case .registerFlood: return liar.oldRegisters(Self.flood)
        case .earlyContinuation, .foreignContinuation:
            guard let own = machines[node].own, let stranger = NodeID(Garbage.ghostNode) else { return [] }
            let from = hoax == .earlyContinuation ? own.owner : stranger
            return liar.continuation(of: own, from: from, takenAt: own.startedAt + error, at: time)
        case .impossibleStamp, .plausibleEpoch, .lastRevision: return liar.registerAtLimit(hoax, at: time)
        case .foreignEffect: return liar.foreignEffect(of: lastIntent, at: time)
        case .otherAnswer: return liar.otherAnswer(for: victim(node), at: time)
        case .strayIntent:
            guard let own = machines[node].own else { return [] }
            let past = witness.nodes[node].published.values.map(\.id).filter { $0 != own.id }.min()
            return liar.strayIntent(for: own, past: past, at: time)
        case .forkFlood, .helloFlood, .presenceFlood, .stampFlood:
            return liar.flood(hoax, of: Self.flood, about: victim(node), at: time)
        case .recordFlood:
            return (0..<Self.flood).compactMap { _ in
                forgedRecord(hoax, about: node, error: error, of: &liar, at: time)
            }
        case .sameID, .earlyTakeover, .takeover, .unnamedTakeover, .foreignTakeover, .impossibleDates, .othersName,
            .impossibleTimes:
            return [forgedRecord(hoax, about: node, error: error, of: &liar, at: time)].compactMap(\.self)
        }
    }

    /// Publishes what the liar says, and keeps its new state.
    private mutating func say(_ packets: [Packet], as liar: Liar) {
        keep(liar)
        for packet in packets {
            if case .message(.intent(let intent), _) = liar.read(packet) { witnessIntent(intent) }
            publish(packet)
        }
    }

    /// Keeps the liar's new state and the origin of its session.
    private mutating func keep(_ liar: Liar) {
        self.liar = liar
        guard let register = liar.register else { return }
        witness.origins[register.id] = Witness.Origin(
            // An earlier effect may be repeated if the liar leaves it out: it is the owner then.
            lineage: register.lineage, parent: nil, version: Version(epoch: 0, rev: 0))
    }

    private mutating func witnessIntent(_ intent: Intent) {
        // A node that continues a lineage accepts an intent for any session of it.
        let isKnown = witness.origins[intent.session] != nil
        if witness.asked[intent.id] == nil { witness.askedByLiar.insert(intent.id) }
        witness.asked[intent.id] = Witness.Asked(
            session: isKnown ? intent.session : intent.lineage, phase: intent.phase, operation: intent.operation,
            expiresAt: intent.expiresAt)
    }

    /// Publishes the liar's presence before its first act.
    private mutating func introduce(_ liar: inout Liar, at time: GroupTime) {
        liar.act(at: time)
        guard !isLiarPresent, let presence = liar.presence(at: time, online: true) else { return }
        isLiarPresent = true
        publish(presence)
    }

    /// Publishes to the half of the broker that the liar is connected to.
    private mutating func publish(_ packet: Packet) { distribute(packet, at: brokers.count - 1, bridged: false) }

    private func strangePongs(to node: Int, by liar: inout Liar, at time: GroupTime) -> [Packet] {
        let boot = machines[node].clock.boot(at: now)
        let strange = [
            (ConnectionID("cx"), boot), (machines[node].connection.map { connections[$0].id }, boot + 60_000),
        ]
        return strange.compactMap { connection, sent in
            guard let connection else { return nil }
            let ping = Ping(connection: connection, sent: sent, at: time)
            return liar.answer(ping, of: machines[node].id, place: node, at: time)
        }
    }

    /// Answers without a ping, on the connection that the victim's presence names.
    private func pongFlood(to node: Int, by liar: inout Liar, at time: GroupTime) -> [Packet] {
        guard let link = machines[node].connection else { return [] }
        let ping = Ping(connection: connections[link].id, sent: machines[node].clock.boot(at: now), at: time)
        return (0..<Self.flood).compactMap { _ in
            liar.answer(ping, of: machines[node].id, place: node, at: time)
        }
    }

    private mutating func forgedRecord(
        _ hoax: Hoax, about node: Int, error: Milliseconds, of liar: inout Liar, at time: GroupTime
    ) -> Packet? {
        let held = service.records(of: machines[node].id)
        let own = machines[node].own.map { LedgerRecord($0) }
        // The present session, or one that the ledger has.
        guard let theirs = held.isEmpty || time.milliseconds % 2 == 0 ? own : held[Int(time.milliseconds) % held.count]
        else { return nil }
        counters.add(.recordForged)
        let packet = liar.record(hoax, about: theirs, error: error, at: time)
        if let packet { queue.add(.ledger(.told(packet)), at: now + Microseconds(mix.latency)) }
        return packet
    }

    /// Has the liar read a ping if it has a clock to answer by.
    mutating func lieInReply(to packet: Packet, at half: Int) {
        guard half == brokers.count - 1, let clock = liar?.falseClock, clock.isAsked(in: packet) else { return }
        queue.add(.lied(packet), at: now + Microseconds(2 * mix.latency))
    }

    mutating func answer(_ packet: Packet) {
        guard var liar, !isLiarRevoked, case .message(.ping(let ping, _), let asker) = liar.read(packet),
            let place = place(of: asker)
        else { return }
        // Each correction is a write.
        guard !isBusy(place) else { return }
        let pong = liar.answer(ping, of: asker, place: place, at: now.date)
        keep(liar)
        counters.add(.falseClock)
        if let pong { publish(pong) }
    }

    /// Makes the broker lose a node's register while all connections hold, like a cluster that shares nothing retained.
    mutating func lose(_ node: Int) {
        let topic = sessionTopic(of: node)
        for half in brokers.indices where brokers[half].retained[topic] != nil {
            brokers[half].retained[topic] = nil
            counters.add(.registerLost)
        }
    }

    /// Takes the liar's membership away, as `lockstep revoke` does.
    mutating func revoke() {
        guard isLiarPresent, !isLiarRevoked, let liar else { return }
        counters.add(.revoked)
        isLiarRevoked = true
        self.liar?.falseClock = nil
        let offline = liar.presence(at: now.date, online: false)
        let erasures = ["presence", "session"].map {
            Packet(topic: "lockstep/1/home/node/\(Liar.name)/\($0)", payload: [], retain: true)
        }
        for packet in [offline].compactMap(\.self) + erasures {
            for half in brokers.indices { distribute(packet, at: half, bridged: true) }
        }
    }

    /// Whether the broker keeps nothing of the liar, and each node has received that.
    var isLiarForgotten: Bool {
        isLiarRevoked && mix.noRetained == 0
            && brokers.allSatisfy { $0.retained["lockstep/1/home/node/\(Liar.name)/presence"] == nil }
    }

    private func sessionTopic(of node: Int) -> String { "lockstep/1/home/node/\(Names.node(node))/session" }

    /// Whether a half of the broker lacks a node's register. If the halves share nothing, both must lack it.
    func isLost(_ node: NodeID) -> Bool {
        guard let place = place(of: node) else { return false }
        // The members of a cluster each keep their own.
        let lacking = brokers.count { $0.retained[sessionTopic(of: place)] == nil }
        return lacking > (mix.unshared == 0 ? 0 : 1)
    }

    /// Whether the broker has lost a register that some node does not know. Nodes may then show different sessions
    /// until the owner publishes it again. Nobody does that for a revoked liar, and nobody replaces two registers that
    /// it has published under one version.
    var isForgotten: Bool {
        let liarsRegisters = Set(machines.map { machine in liar.flatMap { machine.engine.register(of: $0.node) } })
        if isLiarRevoked, liarsRegisters.count > 1 { return true }
        return machines.contains { owner in
            guard let own = owner.own else { return false }
            let others = machines.filter { $0.id != owner.id }
            return isLost(owner.id)
                && others.contains { $0.engine.stampAndVersion(of: owner.id)?.version != own.version }
        }
    }
}
