// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// Checks of what a node writes and says.
extension World {
    /// The node's register changes from what it last wrote to this.
    mutating func witnessChange(to journal: Journal, at node: Int) {
        let before = witness.nodes[node].own
        witness.nodes[node].own = journal.own
        guard let own = journal.own, let before, own != before else { return }
        if own.id == before.id, own.last == nil { checkLateness(from: before, to: own, at: node) }
        guard let last = own.last, last != before.last else { return }
        let name = Names.node(node)
        if witness.nodes[node].refused.contains(last.intent) {
            fail(.refusalKept, "\(name) applies \(last.intent), which it had refused")
        }
        guard let asked = witness.asked[last.intent] else { return }
        if asked.session != own.id || asked.session != before.id {
            fail(.effectFenced, "\(name) applies \(last.intent), meant for \(asked.session), to \(own.id)")
        }
        if asked.operation.isFencedByPhase, asked.phase != before.phase {
            let (meant, found) = (asked.phase ?? -1, before.phase)
            fail(.effectFenced, "\(name) applies \(last.intent), meant for phase \(meant), in \(found)")
        }
        if asked.expiresAt <= instant(node).wall { fail(.effectInTime, "\(name) applies \(last.intent) too late") }
    }

    /// Runs that time alone began must have begun within the lateness.
    private mutating func checkLateness(from before: Register, to own: Register, at node: Int) {
        guard own.phase > before.phase, own.anchor.bootID == before.anchor.bootID else { return }
        let boot = instant(node).boot
        if own.status == .ready, own.autoAdvance, boot - own.anchor.boot > Limits.lateness { counters.add(.lateReady) }
        for run in own.runs where run.phase > before.phase {
            let began = own.anchor.boot - (own.anchor.at - run.from)
            if boot - began > Limits.lateness {
                fail(.lateness, "\(Names.node(node)) starts phase \(run.phase) \(boot - began) ms late")
            }
        }
    }

    /// The journal is on disk: what it holds has happened.
    mutating func witnessWritten(_ journal: Journal, by node: Int) {
        guard let own = journal.own, let last = own.last else { return }
        let effect = Witness.Effect(node: own.owner, version: own.version)
        if let before = witness.effects[last.intent], before != effect {
            fail(.effectOnce, "\(last.intent) took effect at \(before.version) and at \(effect.version)")
        }
        witness.effects[last.intent] = effect
    }

    mutating func witnessPublish(_ message: Message, by node: Int) {
        let name = Names.node(node)
        switch message {
        case .register(let register): witnessRegister(register, by: node)
        case .ack(.answer(let answer)):
            count(answer.outcome)
            switch answer.outcome {
            case .applied, .duplicate: checkOnDisk(answer, at: node)
            case .noop, .refused: witness.nodes[node].refused.insert(answer.intent)
            }
        case .ack(.fork): counters.add(.forkObjection)
        case .ack(.clock): counters.add(.clockObjection)
        case .intent(let intent):
            if !witness.sent.insert(intent.id).inserted { counters.add(.sentAgain) }
            witness.asked[intent.id] = Witness.Asked(
                session: intent.session, phase: intent.phase, operation: intent.operation, expiresAt: intent.expiresAt)
        case .presence, .hello: break
        }
        if !machines[node].isLinked, machines[node].engine.view.isLinked, machines[node].backlog.isEmpty {
            tell("\(name) publishes into a connection that is gone")
        }
    }

    private mutating func witnessRegister(_ register: Register, by node: Int) {
        let name = Names.node(node)
        if register.owner != machines[node].id { fail(.ownRegisterOnly, "\(name) publishes \(register.owner)'s") }
        if machines[node].onDisk?.own != register {
            fail(.publishFromDisk, "\(name) publishes \(register.version), which is not on disk")
        }
        if !witness.nodes[node].hasLooked {
            fail(.barrierFirst, "\(name) publishes \(register.version) before it has looked at the broker's")
        }
        if let before = witness.nodes[node].version, register.version < before {
            fail(.versionRises, "\(name) publishes \(register.version) after \(before)")
        }
        witness.nodes[node].version = register.version
        let known = witness.nodes[node].published.updateValue(register, forKey: register.version)
        if let known, known != register { fail(.versionUnique, "\(name) has two registers \(register.version)") }
        if let final = witness.finals[register.id], register.status != final {
            fail(.finalIsFinal, "\(register.id) was \(final) and is \(register.status)")
        }
        if !register.status.isLive { witness.finals[register.id] = register.status }
    }

    /// What was published must be read as it was meant, whatever minor version its writer speaks.
    mutating func witnessPayload(_ packet: Packet, of message: Message, by node: Int) {
        let codec = machines[node].codec
        let read = packet.decoded(by: codec, retained: packet.retain, now: 0)
        guard read != .message(message, from: machines[node].id) else { return }
        fail(.payloadReadable, "\(Names.node(node)) publishes \(message), read as \(read)")
    }

    private mutating func checkOnDisk(_ answer: Answer, at node: Int) {
        guard let own = machines[node].onDisk?.own else {
            return fail(.appliedOnDisk, "\(Names.node(node)) answers \(answer.intent) without a journal")
        }
        // Another session may have begun since: then the old one's register is gone, and rightly so.
        if own.id == answer.session, own.rev < answer.rev + Limits.applied, !own.applied.contains(answer.intent) {
            fail(.appliedOnDisk, "\(Names.node(node)) answers \(answer.outcome.name) to \(answer.intent) too early")
        }
    }

    mutating func witnessReply(_ reply: Reply, to ticket: Ticket, at node: Int) {
        if machines[node].open.removeValue(forKey: ticket) == nil {
            fail(.oneReply, "\(Names.node(node)) replies to \(ticket), which waits for nothing")
        }
        switch reply {
        case .answered(let answer):
            count(answer.outcome)
            let isOwn = witness.nodes[node].own?.id == answer.session
            if isOwn, answer.outcome == .applied, machines[node].disk == .good, machines[node].diskLast <= now,
                IntentID(answer.session.rawValue) != answer.intent
            {
                checkOnDisk(answer, at: node)
            }
        case .noAnswer: counters.add(.noAnswer)
        case .noSession, .invalid: break
        }
    }

    private mutating func count(_ outcome: Outcome) {
        switch outcome {
        case .applied: counters.add(.applied)
        case .duplicate: counters.add(.duplicateAnswer)
        case .noop: counters.add(.noop)
        case .refused(.superseded): counters.add(.superseded)
        case .refused(.stalePhase): counters.add(.stalePhase)
        case .refused(.expired): counters.add(.expired)
        case .refused(.notAllowed): counters.add(.notAllowed)
        case .refused(.invalid): break
        }
    }

    mutating func witnessNote(_ note: Note, at node: Int) {
        switch note {
        case .superseded(let session, let by):
            counters.add(.yield)
            if witness.offline.remove(session) != nil { counters.add(.offlineStartLost) }
            if witness.offline.remove(by.session) != nil { counters.add(.offlineStartWon) }
        case .repaired: counters.add(.repair)
        case .recovered(let session):
            counters.add(.recovered)
            let found = witness.nodes[node].foundEpoch
            if let own = machines[node].engine.register(of: machines[node].id), own.epoch <= found {
                fail(.epochRises, "\(Names.node(node)) takes \(session) back in epoch \(own.epoch)")
            }
        case .discarded: counters.add(.discarded)
        case .clockWrong, .noRetained, .journal: break
        }
    }
}
