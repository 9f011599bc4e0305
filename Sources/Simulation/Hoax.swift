// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// What the peer that lies says of clocks and to the ledger, and what it sends in floods.
enum Hoax: Int, CaseIterable {
    // Clocks: from then on each ping is answered so.
    /// A clock that is off, and that its kernel vouches for.
    case clock
    /// The same, and no kernel vouches for it.
    case unvouchedClock
    /// Ahead for some nodes, behind for the others.
    case twoFacedClock
    /// Ahead in one answer, behind in the next.
    case waveringClock
    /// A boot clock at the end of its range.
    case impossibleBoot
    /// The liar says that it is gone.
    case gone
    // One message.
    /// An objection to the stamp of the victim's session.
    case objection
    /// A ping by a clock that is off.
    case ping
    /// Answers to pings of another connection, and of the time to come.
    case strangePong
    // Floods.
    case pingFlood, pongFlood, registerFlood
    // Registers that continue the victim's session.
    /// Since before it began, or since any instant of it.
    case earlyContinuation
    /// As if another node had owned it.
    case foreignContinuation
    // Ledger records.
    /// Of a session with the id of the victim's.
    case sameID
    /// Of a takeover: before the victim's session began, during it, without the name of the node, and of another node.
    case earlyTakeover, takeover, unnamedTakeover, foreignTakeover
    /// With runs from 1970 to 2200.
    case impossibleDates
    /// In the victim's name.
    case othersName
}

/// The clock that the liar says it has.
struct FalseClock {
    /// How the answers differ.
    enum Manner { case same, twoFaced, wavering }

    /// Milliseconds beyond the true time.
    var ahead: Int64
    var isVouched = true
    var manner = Manner.same
    var isBootImpossible = false

    func reading(for place: Int, answer: Int, at time: Int64) -> Int64 {
        let isBehind =
            switch manner {
            case .same: false
            case .twoFaced: place % 2 == 1
            case .wavering: answer % 2 == 1
            }
        return min(max(time + (isBehind ? -ahead : ahead), Limits.time.lowerBound), Limits.time.upperBound)
    }

    var quality: ClockQuality { ClockQuality(synced: isVouched, bound: isVouched ? 10 : nil) }
}

/// What the liar says on the topics of clocks.
extension Liar {
    /// Its clock becomes another one, or it is gone. A new connection makes everybody ask anew.
    mutating func change(_ clock: FalseClock, isHere: Bool, at time: Int64) -> [Packet] {
        falseClock = clock
        serial += 1
        guard let connection = ConnectionID("cm\(serial)") else { return [] }
        self.connection = connection
        return [presence(at: time, online: isHere)].compactMap(\.self)
    }

    /// The answer to a ping of `asker`.
    /// - Parameter place: Which of the machines asks.
    mutating func answer(_ ping: Ping, of asker: NodeID, place: Int, at time: Int64) -> Packet? {
        guard let falseClock, let bootID = BootID("boot-m") else { return nil }
        serial += 1
        let reading = falseClock.reading(for: place, answer: serial, at: time)
        let boot = falseClock.isBootImpossible ? Limits.reading.upperBound : 1_000_000 + time - Clock.epoch
        return packet(
            .pong(
                Pong(
                    connection: ping.connection, sent: ping.sent, bootID: bootID, boot: boot, wall: reading,
                    at: reading, clock: falseClock.quality), to: asker))
    }

    /// Pings as fast as they can be sent.
    func pings(_ count: Int, to victim: NodeID, ahead: Int64, at time: Int64) -> [Packet] {
        guard let connection else { return [] }
        let said = min(max(time + ahead, Limits.time.lowerBound), Limits.time.upperBound)
        return (0..<count).map { number in
            packet(.ping(Ping(connection: connection, sent: Int64(number), at: said), to: victim))
        }
    }

    /// Registers that are older than what it has said, or forks of that.
    mutating func oldRegisters(_ count: Int) -> [Packet] {
        guard let register else { return [] }
        return (0..<count).map { number in
            var old = register
            if number % 2 == 0 { old.title = "other \(number)" } else { old.rev = max(0, old.rev - 3) }
            return packet(.register(old))
        }
    }

    /// A register that continues the victim's session.
    /// - Parameter at: When it says that it has taken over.
    mutating func continuation(of own: Register, from node: NodeID, takenAt: Int64, at time: Int64) -> [Packet] {
        serial += 1
        guard var register = fresh(at: time) else { return [] }
        register.lineage = own.lineage
        register.continues = Continuation(
            node: node, epoch: own.epoch, rev: own.rev,
            at: min(max(takenAt, Limits.time.lowerBound), Limits.time.upperBound))
        return say(register)
    }

    /// A ledger record that lies about another one.
    /// - Parameter by: Milliseconds from the beginning of that session to the takeover of it.
    mutating func record(_ hoax: Hoax, about theirs: LedgerRecord, by: Int64, at time: Int64) -> Packet? {
        serial += 1
        guard let id = SessionID("M\(serial)"), let stranger = NodeID(Garbage.ghostNode) else { return nil }
        var record = theirs
        record.status = .stopped
        record.endsAt = nil
        record.runs = [LedgerRecord.Run(kind: .focus, from: time - 1_000, to: time)]
        record.version = Version(epoch: Limits.counter.upperBound, rev: Limits.counter.upperBound)
        if hoax != .othersName {
            record.node = node
            record.stamp = Stamp(time: time, counter: serial, node: node)
        }
        if hoax != .othersName, hoax != .sameID { record.id = id }
        let begin = theirs.continuedAt ?? theirs.startedAt
        switch hoax {
        case .earlyTakeover:
            (record.continuedAt, record.continuedFrom) = (begin - abs(by), theirs.node)
        case .takeover: (record.continuedAt, record.continuedFrom) = (begin + abs(by) % 60_000, theirs.node)
        case .unnamedTakeover: (record.continuedAt, record.continuedFrom) = (begin + by, nil)
        case .foreignTakeover: (record.continuedAt, record.continuedFrom) = (begin + by % 60_000, stranger)
        case .impossibleDates:
            record.runs = [LedgerRecord.Run(kind: .focus, from: 0, to: Limits.time.upperBound)]
        default: break
        }
        record.continuedAt = record.continuedAt.map { min(max($0, Limits.time.lowerBound), Limits.time.upperBound) }
        return Packet(
            topic: codec.topics.name(of: .record(node)), payload: FiledRecord(record).json(), retain: false)
    }
}

extension World {
    /// How many messages a flood has: more than any peer is allowed in a second.
    private static let flood = 280

    /// The liar lies about its clock, floods, or forges records.
    mutating func hoax(_ which: Int, about node: Int, by: Int64) {
        guard var liar, let hoax = Hoax(rawValue: abs(which) % Hoax.allCases.count) else { return }
        let time = Clock.epoch + now / 1_000
        let victim = machines[node]
        introduce(&liar, at: time)
        // A slow disk has another queue behind the last fault than any real one.
        let isBusy = victim.disk != .good || victim.diskLast > now
        var packets: [Packet] = []
        switch hoax {
        case .clock: packets = liar.change(FalseClock(ahead: by), isHere: true, at: time)
        case .unvouchedClock:
            packets = liar.change(FalseClock(ahead: by, isVouched: false), isHere: true, at: time)
        case .twoFacedClock: packets = liar.change(FalseClock(ahead: by, manner: .twoFaced), isHere: true, at: time)
        case .waveringClock: packets = liar.change(FalseClock(ahead: by, manner: .wavering), isHere: true, at: time)
        case .impossibleBoot:
            packets = liar.change(FalseClock(ahead: by, isBootImpossible: true), isHere: true, at: time)
        case .gone: packets = liar.change(liar.falseClock ?? FalseClock(ahead: by), isHere: false, at: time)
        case .objection:
            if let own = victim.own {
                let said = min(max(time + by, Limits.time.lowerBound), Limits.time.upperBound)
                packets = [liar.packet(.ack(.clock(node: victim.id, session: own.id, at: said)))]
            }
        case .ping: packets = liar.pings(1, to: victim.id, ahead: by, at: time)
        case .pingFlood: packets = liar.pings(Self.flood, to: victim.id, ahead: by, at: time)
        case .strangePong: packets = strangePongs(to: node, by: &liar, at: time)
        case .pongFlood: if !isBusy { packets = pongFlood(to: node, by: &liar, at: time) }
        case .registerFlood: packets = liar.oldRegisters(Self.flood)
        case .earlyContinuation:
            if let own = victim.own {
                packets = liar.continuation(of: own, from: own.owner, takenAt: own.startedAt + by, at: time)
            }
        case .foreignContinuation:
            if let own = victim.own, let stranger = NodeID(Garbage.ghostNode) {
                packets = liar.continuation(of: own, from: stranger, takenAt: own.startedAt + by, at: time)
            }
        default: packets = [forgedRecord(hoax, about: node, by: by, of: &liar, at: time)].compactMap(\.self)
        }
        take(back: liar)
        counters.add(.hoaxed)
        for packet in packets { publish(packet) }
    }

    private func strangePongs(to node: Int, by liar: inout Liar, at time: Int64) -> [Packet] {
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

    /// Answers that nobody has asked for, on the connection that the victim's presence names.
    private func pongFlood(to node: Int, by liar: inout Liar, at time: Int64) -> [Packet] {
        guard let link = machines[node].connection else { return [] }
        let ping = Ping(connection: connections[link].id, sent: machines[node].clock.boot(at: now), at: time)
        return (0..<Self.flood).compactMap { _ in
            liar.answer(ping, of: machines[node].id, place: node, at: time)
        }
    }

    private mutating func forgedRecord(
        _ hoax: Hoax, about node: Int, by: Int64, of liar: inout Liar, at time: Int64
    ) -> Packet? {
        let held = service.records(of: machines[node].id)
        let own = machines[node].own.map { LedgerRecord($0) }
        // What runs now, or one of those that the ledger has.
        guard let theirs = held.isEmpty || time % 2 == 0 ? own : held[Int(time) % held.count] else { return nil }
        counters.add(.recordForged)
        let packet = liar.record(hoax, about: theirs, by: by, at: time)
        if let packet { queue.add(.ledger(.told(packet)), at: now + Int64(mix.latency)) }
        return packet
    }

    /// The liar hears a ping, where it has a clock to answer by.
    mutating func lieInReply(to packet: Packet, at half: Int) {
        guard half == brokers.count - 1, let clock = liar?.falseClock, clock.isAsked(in: packet) else { return }
        queue.add(.lied(packet), at: now + 2 * Int64(mix.latency))
    }

    mutating func answer(_ packet: Packet) {
        guard var liar, case .message(.ping(let ping, _), let asker) = liar.read(packet), let place = place(of: asker)
        else { return }
        // As for a flood: each correction is a write.
        guard machines[place].disk == .good, machines[place].diskLast <= now else { return }
        let pong = liar.answer(ping, of: asker, place: place, at: Clock.epoch + now / 1_000)
        take(back: liar)
        counters.add(.falseClock)
        if let pong { publish(pong) }
    }
}

extension FalseClock {
    private static let suffix = Array("/\(Liar.name)".utf8)
    private static let leaf = Array("/ping/".utf8)

    /// Whether a packet is a ping to the liar.
    func isAsked(in packet: Packet) -> Bool {
        packet.levels.suffix(Self.suffix.count).elementsEqual(Self.suffix)
            && packet.levels.dropLast(Self.suffix.count - 1).suffix(Self.leaf.count).elementsEqual(Self.leaf)
    }
}
