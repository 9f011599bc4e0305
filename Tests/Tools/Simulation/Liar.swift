// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// A peer that lies. It has its own password, so it writes only below its own topic.
struct Liar {
    static let name = "m"
    /// A lie that an act can name. Kept traces state the raw values. ``Hoax`` has further ones.
    enum Lie: Int, CaseIterable {
        case start, largestVersion, laterEpoch, largestCounter, impossibleTimes, fork, olderRevision, takeover,
            earlierTakeover, objection, objectionToRevision, answer, answerAgain, hello
    }
    /// Intents of one flood: more than an owner accepts in a row.
    static let flood = 140

    let codec: WireCodec
    let node: NodeID
    /// The clock that it claims; `nil` while it answers no ping.
    var falseClock: FalseClock?
    /// The connection that its presence names.
    var connection = ConnectionID("cm")
    /// Its largest register that readers accept now or later.
    private(set) var register: Register?
    /// Answers for other owners, given or shown by a register.
    private(set) var forged: Set<Answer> = []
    var serial = 0
    /// The true time of its latest act.
    private(set) var time = Clock.epoch

    init?(space: SpaceID) {
        guard let node = NodeID(Self.name) else { return nil }
        self.node = node
        codec = WireCodec(space: space, me: node)
    }

    /// The state of a victim as the liar knows it.
    struct Victim {
        var node: NodeID
        var own: Register?
        /// The latest intent of an honest node.
        var intent: Intent?
    }

    func packet(_ message: Message) -> Packet { Packet(codec.encode(message)) }

    func read(_ packet: Packet) -> Decoded { packet.decoded(by: codec, retained: false, now: 0) }

    func presence(at time: GroupTime, online: Bool, isSleeping: Bool = false) -> Packet? {
        connection.map { connection in
            let claimed = falseClock?.reading(for: 0, answer: 0, at: time) ?? time
            return packet(
                .presence(
                    Presence(
                        isOnline: online, connection: connection, role: .node, name: Self.name, at: claimed,
                        clock: falseClock?.quality ?? ClockQuality(isSynced: false), software: "sim",
                        isSleeping: isSleeping)))
        }
    }

    mutating func act(at time: GroupTime) { self.time = time }

    /// Tells one lie at the true time `time`. A stamp may lead that time by `ahead`.
    mutating func lie(_ lie: Lie, about victim: Victim, ahead: Milliseconds, at time: GroupTime) -> [Packet] {
        serial += 1
        let limit = Limits.counter.upperBound
        switch lie {
        case .start: return say(fresh(at: time + ahead))
        case .largestVersion: return say(fresh(at: time).map { changed($0) { ($0.epoch, $0.rev) = (limit, limit) } })
        case .laterEpoch: return say(fresh(at: time, epoch: Limits.epochs))
        case .largestCounter:
            return say(fresh(at: time + min(ahead, 9_000)).map { changed($0) { $0.stamp.counter = limit } })
        case .impossibleTimes: return say(fresh(at: time).map { impossible($0) })
        case .fork: return say(register.map { old in changed(old) { $0.title = "other \(serial)" } })
        case .olderRevision: return say(register.map { old in changed(old) { $0.rev = max(0, $0.rev - 3) } })
        case .takeover: return say(takeover(of: victim, at: time, stamp: time + max(0, min(ahead, 12_000))))
        case .earlierTakeover: return say(takeover(of: victim, at: time, stamp: (victim.own?.stamp.time ?? time) - 1))
        case .objection: return [packet(.ack(.fork(node: victim.node, version: Version(epoch: limit, rev: limit - 1))))]
        case .objectionToRevision:
            let version = Version(epoch: victim.own?.epoch ?? 1, rev: limit)
            return [packet(.ack(.fork(node: victim.node, version: version)))]
        case .answer, .answerAgain: return answer(for: victim)
        case .hello: return [packet(.hello)]
        }
    }

    mutating func flood(_ victim: Victim, at time: GroupTime) -> [Packet] {
        guard let own = victim.own else { return [] }
        return (0..<Self.flood).compactMap { number in
            serial += 1
            guard let id = IntentID("M\(serial)") else { return nil }
            let operation: IntentOperation = number % 2 == 0 ? .pause : .resume
            return packet(
                .intent(
                    Intent(
                        id: id, lineage: own.lineage, session: own.id, phase: own.phase, operation: operation,
                        from: node, at: time, expiresAt: time + Limits.intentLife)))
        }
    }

    /// Repeats its register under a version above all earlier ones.
    mutating func repeatRegister() -> Packet? {
        guard let register else { return nil }
        serial += 1
        let next = register.version.next
        return say(changed(register) { ($0.epoch, $0.rev) = (next.epoch, next.rev) }).first
    }

    /// Returns the packet of a valid register, and keeps the register if readers accept it now or later.
    mutating func say(_ register: Register?) -> [Packet] {
        guard let register, register.invalidField == nil else { return [] }
        if register.epoch <= plausibleEpochs + 1,
            register.version > self.register?.version ?? Version(epoch: -1, rev: 0)
        {
            self.register = register
        }
        return [packet(.register(register))]
    }

    /// The largest epoch that readers accept at the time of the latest act; one more a second later.
    var plausibleEpochs: Int { Limits.epochs + (time - Limits.earliestStamp).wholeSeconds }

    func changed(_ register: Register, _ change: (inout Register) -> Void) -> Register {
        var register = register
        change(&register)
        return register
    }

    /// Makes a running session of the liar under a version above its last one.
    func fresh(at stamp: GroupTime, epoch: Int = 1) -> Register? {
        guard let id = SessionID("M\(serial)"), let boot = BootID("boot-m") else { return nil }
        let above = Version(epoch: epoch, rev: epoch > 1 ? Limits.counter.upperBound - 100_000 : 0)
        let version = max(register?.version ?? above, above).next
        return Register(running: id, since: stamp, of: node, version, on: boot)
    }

    /// Sets runs, anchor and start to the ends of their ranges.
    private func impossible(_ register: Register) -> Register {
        changed(register) {
            $0.startedAt = Limits.time.upperBound
            $0.anchor.at = 0
            $0.anchor.boot = Limits.reading.upperBound
            $0.runs = [
                Run(phase: 0, from: 0, to: Limits.time.upperBound), Run(phase: 0, from: Limits.time.upperBound),
            ]
        }
    }

    /// Claims the victim's session, with the effect of an intent that another node was asked to carry out.
    private mutating func takeover(of victim: Victim, at time: GroupTime, stamp: GroupTime) -> Register? {
        guard let own = victim.own, let fresh = fresh(at: stamp) else { return nil }
        let taken = changed(fresh) {
            $0.lineage = own.lineage
            $0.continues = Continuation(node: own.owner, epoch: own.epoch, rev: own.rev, at: time)
        }
        return claim(victim.intent, in: taken)
    }

    /// Shows the effect of an intent in a register.
    mutating func claim(_ intent: Intent?, in register: Register) -> Register {
        guard let intent else { return register }
        forge(Answer(intent: intent.id, outcome: .applied, session: register.id, rev: register.rev), to: intent)
        return changed(register) { $0.applied = [intent.id] }
    }

    private mutating func answer(for victim: Victim) -> [Packet] {
        answer(serial % 2 == 0 ? .applied : .refused(.notAllowed), for: victim)
    }

    /// Answers the latest intent of an honest node in place of the owner.
    mutating func answer(_ outcome: IntentOutcome, by winner: Superseder? = nil, for victim: Victim) -> [Packet] {
        guard let intent = victim.intent else { return [] }
        let answer = Answer(
            intent: intent.id, outcome: outcome, session: intent.session, rev: 777_000_000 + serial, by: winner)
        forge(answer, to: intent)
        return [packet(.ack(.answer(answer)))]
    }

    /// Notes an answer that no person should get. For its own session any answer is allowed.
    private mutating func forge(_ answer: Answer, to intent: Intent) {
        if !owns(intent.session) { forged.insert(answer) }
    }

    func owns(_ session: SessionID) -> Bool { session.rawValue.hasPrefix("M") }
}
