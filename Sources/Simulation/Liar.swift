// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// A peer with a password of its own, so that it writes below its own topic only, and lies in everything that it says.
struct Liar {
    static let name = "m"
    /// Kinds of lies that an act can name.
    static let lies = 14
    /// Intents of one flood: more than an owner takes in a row.
    static let flood = 140

    let codec: WireCodec
    let node: NodeID
    /// The clock that it says it has; `nil` while it answers no ping.
    var falseClock: FalseClock?
    /// The connection that its presence names.
    var connection = ConnectionID("cm")
    /// Its largest register that readers can use.
    private(set) var register: Register?
    /// Answers that it has given for other owners.
    private(set) var forged: Set<Answer> = []
    var serial = 0

    init?(space: SpaceID) {
        guard let node = NodeID(Self.name) else { return nil }
        self.node = node
        codec = WireCodec(space: space, me: node)
    }

    /// What the liar knows of its victim.
    struct Victim {
        var node: NodeID
        var own: Register?
        /// The last intent that an honest node has sent.
        var intent: Intent?
    }

    func packet(_ message: Message) -> Packet {
        let outgoing = codec.encode(message)
        return Packet(topic: outgoing.topic, payload: outgoing.payload, retain: outgoing.retain)
    }

    /// What the liar makes of a packet.
    func read(_ packet: Packet) -> Decoded { packet.decoded(by: codec, retained: false, now: 0) }

    func presence(at time: Int64, online: Bool) -> Packet? {
        connection.map { connection in
            let said = falseClock?.reading(for: 0, answer: 0, at: time) ?? time
            return packet(
                .presence(
                    Presence(
                        online: online, connection: connection, role: .node, name: Self.name, at: said,
                        clock: falseClock?.quality ?? ClockQuality(synced: false), software: "sim")))
        }
    }

    /// One lie.
    /// - Parameters:
    ///   - time: The true time.
    ///   - ahead: By how many milliseconds a stamp leads it.
    mutating func lie(_ which: Int, about victim: Victim, ahead: Int, at time: Int64) -> [Packet] {
        serial += 1
        let limit = Limits.counter.upperBound
        switch which % Self.lies {
        case 0: return say(fresh(at: time + Int64(ahead)))
        case 1: return say(fresh(at: time).map { changed($0) { ($0.epoch, $0.rev) = (limit, limit) } })
        case 2: return say(fresh(at: time, epoch: Limits.epochs))
        case 3: return say(fresh(at: time + Int64(min(ahead, 9_000))).map { changed($0) { $0.stamp.counter = limit } })
        case 4: return say(fresh(at: time).map { impossible($0) })
        case 5: return say(register.map { old in changed(old) { $0.title = "other \(serial)" } })
        case 6: return say(register.map { old in changed(old) { $0.rev = max(0, $0.rev - 3) } })
        case 7: return say(takeover(of: victim, at: time, stamp: time + Int64(max(0, min(ahead, 12_000)))))
        case 8: return say(takeover(of: victim, at: time, stamp: (victim.own?.stamp.time ?? time) - 1))
        case 9: return [packet(.ack(.fork(node: victim.node, version: Version(epoch: limit, rev: limit - 1))))]
        case 10:
            let version = Version(epoch: victim.own?.epoch ?? 1, rev: limit)
            return [packet(.ack(.fork(node: victim.node, version: version)))]
        case 11, 12: return answer(for: victim)
        default: return [packet(.hello)]
        }
    }

    /// Many intents that would each take effect.
    mutating func flood(_ victim: Victim, at time: Int64) -> [Packet] {
        guard let own = victim.own else { return [] }
        return (0..<Self.flood).compactMap { number in
            serial += 1
            guard let id = IntentID("M\(serial)") else { return nil }
            let operation: Session.Operation = number % 2 == 0 ? .pause : .resume
            return packet(
                .intent(
                    Intent(
                        id: id, lineage: own.lineage, session: own.id, phase: own.phase, operation: operation,
                        from: node, at: time, expiresAt: time + Limits.intentLife)))
        }
    }

    /// Its register once more, above all that it has said.
    mutating func last() -> Packet? {
        guard let register else { return nil }
        serial += 1
        return say(changed(register) { $0.rev += 10 }).first
    }

    mutating func say(_ register: Register?) -> [Packet] {
        guard let register, register.flaw == nil else { return [] }
        if register.epoch <= Limits.epochs, register.version > self.register?.version ?? Version(epoch: -1, rev: 0) {
            self.register = register
        }
        return [packet(.register(register))]
    }

    private func changed(_ register: Register, _ change: (inout Register) -> Void) -> Register {
        var register = register
        change(&register)
        return register
    }

    func fresh(at stamp: Int64, epoch: Int = 1) -> Register? {
        guard let id = SessionID("M\(serial)"), let boot = BootID("boot-m") else { return nil }
        let above = Version(epoch: epoch, rev: epoch > 1 ? Limits.counter.upperBound - 100_000 : 0)
        let version = max(register?.version ?? above, above).next
        return Register(
            id: id, lineage: id, stamp: Stamp(time: stamp, counter: 0, node: node), epoch: version.epoch,
            rev: version.rev, owner: node, title: "", icon: nil, label: nil, mode: .countdown,
            plan: [Phase(kind: .focus, seconds: 600)], autoAdvance: false, phase: 0, status: .running,
            startedAt: stamp, anchor: Anchor(elapsed: 0, at: stamp, bootID: boot, boot: 1_000),
            runs: [Run(phase: 0, from: stamp)])
    }

    /// Runs, an anchor and a start at the ends of their ranges.
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

    /// The victim's session as its own, with the effect of an intent that somebody else was asked.
    private func takeover(of victim: Victim, at time: Int64, stamp: Int64) -> Register? {
        guard let own = victim.own, let fresh = fresh(at: stamp) else { return nil }
        return changed(fresh) {
            $0.lineage = own.lineage
            $0.continues = Continuation(node: own.owner, epoch: own.epoch, rev: own.rev, at: time)
            $0.applied = [victim.intent?.id].compactMap(\.self)
        }
    }

    private mutating func answer(for victim: Victim) -> [Packet] {
        guard let intent = victim.intent else { return [] }
        let outcome: Outcome = serial % 2 == 0 ? .applied : .refused(.notAllowed)
        let answer = Answer(intent: intent.id, outcome: outcome, session: intent.session, rev: 777_000_000 + serial)
        // Of its own session it may say what it likes.
        if !intent.session.rawValue.hasPrefix("M") { forged.insert(answer) }
        return [packet(.ack(.answer(answer)))]
    }
}

extension World {
    /// The liar says something, on its own topics.
    mutating func lie(_ which: Int, about node: Int, ahead: Int, floods: Bool) {
        guard var liar else { return }
        let time = Clock.epoch + now / 1_000
        let victim = Liar.Victim(node: machines[node].id, own: machines[node].own, intent: lastIntent)
        introduce(&liar, at: time)
        // A slow disk has another queue behind the last fault than any real one.
        if floods, machines[node].disk != .good || machines[node].diskLast > now { return }
        let packets =
            floods ? liar.flood(victim, at: time) : liar.lie(which, about: victim, ahead: ahead, at: time)
        take(back: liar)
        counters.add(floods ? .flooded : .lied)
        for packet in packets { publish(packet) }
    }

    /// Keeps the liar as it has become, and where its session comes from.
    mutating func take(back liar: Liar) {
        self.liar = liar
        guard let said = liar.register else { return }
        witness.origins[said.id] = Witness.Origin(
            // What took effect before it takes effect again, if it says so: it is the owner then.
            lineage: said.lineage, parent: nil, version: Version(epoch: 0, rev: 0))
    }

    /// The liar says that it is there, once.
    mutating func introduce(_ liar: inout Liar, at time: Int64) {
        guard !isLiarPresent, let presence = liar.presence(at: time, online: true) else { return }
        isLiarPresent = true
        publish(presence)
    }

    /// By the half of the broker that the liar is connected to.
    mutating func publish(_ packet: Packet) { distribute(packet, at: brokers.count - 1, bridged: false) }

    /// The broker loses a node's register although all connections hold, as a cluster does whose members retain messages
    /// each for itself.
    mutating func lose(_ node: Int) {
        let topic = sessionTopic(of: node)
        for half in brokers.indices where brokers[half].retained[topic] != nil {
            brokers[half].retained[topic] = nil
            counters.add(.registerLost)
        }
    }

    private func sessionTopic(of node: Int) -> String { "lockstep/1/home/node/\(Names.node(node))/session" }

    /// Whether the broker, or a half of it, holds no register of a node.
    func isLost(_ node: NodeID) -> Bool {
        guard let place = place(of: node) else { return false }
        return brokers.contains { $0.retained[sessionTopic(of: place)] == nil }
    }

    /// Whether the broker has lost a register that some node does not know, so that nodes may show different sessions until
    /// its owner says it again.
    var isForgotten: Bool {
        machines.contains { owner in
            guard let own = owner.own else { return false }
            return isLost(owner.id)
                && machines.contains { $0.id != owner.id && $0.engine.mark(of: owner.id)?.version != own.version }
        }
    }

    /// No answer of a node that was not asked reaches a person.
    mutating func checkForged(_ answer: Answer, at node: Int) {
        guard let liar, liar.forged.contains(answer), seenBefore?.view.register?.owner != liar.node,
            machines[node].seen.view.register?.owner != liar.node
        else { return }
        fail(.answerTrue, "\(Names.node(node)) is told \(answer.outcome.name) of \(answer.intent) by a node not asked")
    }

    /// A count-up session that is taken over has not run past its owner's last sign of life.
    mutating func checkCredit(after input: Input, before: Seen, at node: Int) {
        switch input {
        case .press, .take, .wake: break
        default: return
        }
        guard let own = machines[node].own, own.id != before.own?.id, own.mode == .countup, own.continues != nil,
            let shown = before.view.register, shown.status == .running, shown.lineage == own.lineage,
            let moment = before.view.lastMoment(at: instant(node).boot), moment.staleFor != nil,
            let lostAt = moment.contactLostAt, let then = before.view.lastMoment(at: lostAt)
        else { return }
        let credited = own.anchor.elapsed - then.elapsed
        if credited > 1_000 { fail(.lastSignOfLife, "\(own.id) is credited \(credited) ms that nobody has seen") }
    }
}
