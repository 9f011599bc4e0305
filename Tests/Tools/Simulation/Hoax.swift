// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// A kind of misbehaviour of the lying peer.
enum Hoax: Int, CaseIterable {
    // MARK: Clocks with which the liar answers later pings

    /// A wrong clock that its kernel vouches for.
    case clock
    /// A wrong clock that no kernel vouches for.
    case unvouchedClock
    /// A clock that is ahead for some nodes and behind for the others.
    case twoFacedClock
    /// A clock that is ahead in one answer and behind in the next.
    case waveringClock
    /// A boot clock at the end of its range.
    case impossibleBoot
    /// An offline presence of the liar.
    case gone

    // MARK: Single messages

    /// An objection to the stamp of the victim's session.
    case objection
    /// A ping by a wrong clock.
    case ping
    /// Answers to pings of another connection and of the future.
    case strangePong

    // MARK: Floods

    case pingFlood, pongFlood, registerFlood

    // MARK: Registers that continue the victim's session

    /// A takeover dated before the session's beginning, or at any instant of it.
    case earlyContinuation
    /// A takeover from another node than the owner.
    case foreignContinuation

    // MARK: Ledger records

    /// A record of a session with the id of the victim's.
    case sameID
    /// A record of a takeover: too early, during the session, without the node's name, or of another node.
    case earlyTakeover, takeover, unnamedTakeover, foreignTakeover
    /// A record with runs from 1970 to 2200.
    case impossibleDates
    /// A record in the victim's name.
    case othersName
    /// A record with a stamp, a start or an end outside all plausible times.
    case impossibleTimes

    // MARK: Registers at limits

    /// A register that is stamped in 1970, just before 2026, or in 2200.
    case impossibleStamp
    /// A register in the largest plausible epoch, or one above it.
    case plausibleEpoch
    /// A register with the last revision of an early epoch.
    case lastRevision

    // MARK: Intents and answers

    /// An answer in the owner's place, with an outcome that no ``Liar/Lie`` gives.
    case otherAnswer
    /// An intent for another session, another phase or after its expiry.
    case strayIntent

    // MARK: More floods, and one more register

    case forkFlood, helloFlood, presenceFlood, stampFlood, recordFlood
    /// A start that shows the effect of an intent for another session.
    case foreignEffect

    /// The hoaxes of the first random stream. Later ones have their own, so that old seeds give the same worlds.
    static let base = allCases.filter { $0 != .foreignEffect }

    /// Whether each of its messages can make the victim write.
    var makesVictimWrite: Bool {
        switch self {
        case .pongFlood, .forkFlood, .helloFlood, .presenceFlood, .stampFlood: true
        default: false
        }
    }
}

/// The clock that the liar claims.
struct FalseClock {
    enum Manner { case same, twoFaced, wavering }

    /// The lead over the true time.
    var ahead: Milliseconds
    var isVouched = true
    var manner = Manner.same
    var isBootImpossible = false

    func reading(for place: Int, answer: Int, at time: GroupTime) -> GroupTime {
        let isBehind =
            switch manner {
            case .same: false
            case .twoFaced: place % 2 == 1
            case .wavering: answer % 2 == 1
            }
        return min(max(time + (isBehind ? -ahead : ahead), Limits.time.lowerBound), Limits.time.upperBound)
    }

    var quality: ClockQuality { ClockQuality(isSynced: isVouched, bound: isVouched ? 10 : nil) }
}

extension Liar {
    /// Claims another clock, or that it is offline. A new connection makes all nodes ask again.
    mutating func change(_ clock: FalseClock, isOnline: Bool, at time: GroupTime) -> [Packet] {
        falseClock = clock
        serial += 1
        guard let connection = ConnectionID("cm\(serial)") else { return [] }
        self.connection = connection
        return [presence(at: time, online: isOnline)].compactMap(\.self)
    }

    /// Answers a ping by the false clock.
    mutating func answer(_ ping: Ping, of asker: NodeID, place: Int, at time: GroupTime) -> Packet? {
        guard let falseClock, let bootID = BootID("boot-m") else { return nil }
        serial += 1
        let reading = falseClock.reading(for: place, answer: serial, at: time)
        let boot = falseClock.isBootImpossible ? Limits.reading.upperBound : 1_000_000 + (time - Clock.epoch)
        return packet(
            .pong(
                Pong(
                    connection: ping.connection, sent: ping.sent, bootID: bootID, boot: boot,
                    wall: WallTime(reading.milliseconds),
                    at: reading, clock: falseClock.quality), to: asker))
    }

    func pings(_ count: Int, to victim: NodeID, ahead: Milliseconds, at time: GroupTime) -> [Packet] {
        guard let connection else { return [] }
        let claimed = min(max(time + ahead, Limits.time.lowerBound), Limits.time.upperBound)
        return (0..<count).map { number in
            packet(.ping(Ping(connection: connection, sent: BootTime(Int64(number)), at: claimed), to: victim))
        }
    }

    /// Returns its register again: forks of it with another title, and older revisions.
    mutating func oldRegisters(_ count: Int) -> [Packet] {
        guard let register else { return [] }
        return (0..<count).map { number in
            var old = register
            if number % 2 == 0 { old.title = "other \(number)" } else { old.rev = max(0, old.rev - 3) }
            return packet(.register(old))
        }
    }

    /// Claims to have continued the victim's session since `takenAt`.
    mutating func continuation(of own: Register, from node: NodeID, takenAt: GroupTime, at time: GroupTime) -> [Packet]
    {
        serial += 1
        guard var register = fresh(at: time) else { return [] }
        register.lineage = own.lineage
        register.continues = Continuation(
            node: node, epoch: own.epoch, rev: own.rev,
            at: min(max(takenAt, Limits.time.lowerBound), Limits.time.upperBound))
        return say(register)
    }

    /// Forges a record about a victim's session. `error` moves the claimed takeover from that session's beginning.
    mutating func record(_ hoax: Hoax, about theirs: LedgerRecord, error: Milliseconds, at time: GroupTime) -> Packet? {
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
            (record.continuedAt, record.continuedFrom) = (begin - error.magnitude, theirs.node)
        case .takeover:
            (record.continuedAt, record.continuedFrom) = (
                begin + Milliseconds(error.magnitude.count % 60_000), theirs.node
            )
        case .unnamedTakeover: (record.continuedAt, record.continuedFrom) = (begin + error, nil)
        case .foreignTakeover:
            (record.continuedAt, record.continuedFrom) = (begin + Milliseconds(error.count % 60_000), stranger)
        case .impossibleDates:
            record.runs = [LedgerRecord.Run(kind: .focus, from: 0, to: Limits.time.upperBound)]
        case .impossibleTimes:
            let impossible = Self.impossibleTimes[serial % 3]
            switch serial / 3 % 3 {
            case 0: record.stamp.time = impossible
            case 1: record.startedAt = impossible
            default:
                record.status = .running
                record.endsAt = impossible
                record.runs = [LedgerRecord.Run(kind: .focus, from: time)]
            }
        default: break
        }
        record.continuedAt = record.continuedAt.map { min(max($0, Limits.time.lowerBound), Limits.time.upperBound) }
        return Packet(
            topic: codec.topics.name(of: .own(.record, of: node)), payload: DigestedRecord(record).json, retain: false)
    }
}

extension Liar {
    /// Times that no honest node can stamp: 1970, the end of 2025 and 2200.
    private static let impossibleTimes: [GroupTime] = [0, Limits.earliestStamp - 86_400_001, Limits.time.upperBound]

    mutating func registerAtLimit(_ hoax: Hoax, at time: GroupTime) -> [Packet] {
        serial += 1
        switch hoax {
        case .impossibleStamp:
            let times: [GroupTime] = [0, Limits.earliestStamp - 1, Limits.time.upperBound]
            return say(fresh(at: times[serial % 3]))
        case .plausibleEpoch: return say(fresh(at: time, epoch: plausibleEpochs + serial % 2))
        default: return say(fresh(at: time).map { changed($0) { $0.rev = Limits.counter.upperBound } })
        }
    }

    mutating func foreignEffect(of intent: Intent?, at time: GroupTime) -> [Packet] {
        serial += 1
        guard let fresh = fresh(at: time) else { return [] }
        return say(claim(intent, in: fresh))
    }

    mutating func otherAnswer(for victim: Victim, at time: GroupTime) -> [Packet] {
        serial += 1
        let winner = SessionID("M\(serial)").map { Superseder(session: $0, node: node, at: time) }
        let outcomes: [IntentOutcome] = [.duplicate, .noop, .refused(.superseded)]
        return answer(outcomes[serial % 3], by: serial % 3 == 2 ? winner : nil, for: victim)
    }

    /// Sends an intent that must not take effect as it stands. The victim had the session `past` before.
    mutating func strayIntent(for own: Register, past: SessionID?, at time: GroupTime) -> [Packet] {
        serial += 1
        guard let id = IntentID("M\(serial)"), let unknown = SessionID("X\(serial)") else { return [] }
        var intent = Intent(
            id: id, lineage: own.lineage, session: own.id, phase: own.phase,
            operation: serial % 2 == 0 ? .skip : .pause,
            from: node, at: time, expiresAt: time + Limits.intentLife)
        switch serial / 2 % 5 {
        case 0: intent.session = unknown
        case 1: (intent.session, intent.lineage) = (unknown, unknown)
        case 2: intent.session = past ?? unknown
        case 3: (intent.phase, intent.operation) = (own.phase + 1, .skip)
        default: intent.expiresAt = time - 5_000
        }
        return [packet(.intent(intent))]
    }

    mutating func flood(_ hoax: Hoax, of count: Int, about victim: Victim, at time: GroupTime) -> [Packet] {
        switch hoax {
        case .helloFlood: return (0..<count).map { _ in packet(.hello) }
        case .forkFlood:
            guard let own = victim.own else { return [] }
            return (0..<count).map { number in
                packet(
                    .ack(.fork(node: victim.node, version: Version(epoch: own.epoch, rev: own.rev + 1_000 * number))))
            }
        case .stampFlood:
            return (0..<count).flatMap { number in
                serial += 1
                return say(fresh(at: time + Milliseconds(number)))
            }
        default:
            return (0..<count).compactMap { number in
                serial += 1
                connection = ConnectionID("cm\(serial)") ?? connection
                let isLast = number == count - 1
                return presence(at: time, online: isLast || number % 3 != 0, isSleeping: !isLast && number % 3 == 1)
            }
        }
    }
}

extension FalseClock {
    private static let suffix = Array("/\(Liar.name)".utf8)
    private static let leaf = Array("/ping/".utf8)

    /// Whether a packet is a ping to the liar.
    func isAsked(in packet: Packet) -> Bool {
        packet.topicBytes.suffix(Self.suffix.count).elementsEqual(Self.suffix)
            && packet.topicBytes.dropLast(Self.suffix.count - 1).suffix(Self.leaf.count).elementsEqual(Self.leaf)
    }
}
