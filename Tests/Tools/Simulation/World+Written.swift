// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// Checks of a node's writes and messages.
extension World {
    /// Checks the change of a node's register from its last write to this one.
    mutating func witnessChange(to write: NodeCore.Write, at node: Int) {
        let journal = write.journal
        let before = witness.nodes[node].own
        checkCounters(in: journal, at: node)
        witnessWrite(of: journal, after: before, at: node)
        witness.nodes[node].own = journal.own
        if let own = journal.own { witness.note(own, holding: machines[node].engine.register(of:)) }
        if let own = journal.own { witnessMinutes(of: own, isApproximate: journal.isApproximate, at: node) }
        checkDate(in: journal, at: node)
        if let own = journal.own { witnessTrimming(of: own, after: before, at: node) }
        guard let own = journal.own, let before, own != before else { return }
        if own.id == before.id, own.epoch == before.epoch, own.last == nil {
            checkLateness(from: before, to: own, at: node)
        }
        checkCut(from: before, to: own, at: node)
        checkTrimming(from: before, to: own, at: node)
        guard let last = own.last, last != before.last else { return }
        witness.nodes[node].decided[last.intent] = Witness.Decision(
            session: own.id, version: own.version, asker: last.from, write: write.number)
        if last.from == liar?.node { witnessRate(of: .effect, at: node) }
        let name = Names.node(node)
        // A node remembers 64 refusals of each asker, so the liar's flood makes it forget the first ones.
        if witness.nodes[node].refused.contains(last.intent), place(of: last.from) != nil,
            !witness.askedByLiar.contains(last.intent)
        {
            fail(.refusalKept, "\(name) applies \(last.intent), which it had refused")
        }
        guard let asked = witness.asked[last.intent] else { return }
        if witness.lineage(of: asked.session) != own.lineage {
            fail(.effectFenced, "\(name) applies \(last.intent), meant for \(asked.session), to \(own.id)")
        }
        // Its phase may have ended in the input of the intent.
        let since = own.anchor.boot - before.anchor.boot
        let present = before.advanced(since: since, lateness: Limits.lateness)
        if asked.operation.isFencedByPhase, own.id == before.id, asked.phase != present.phase {
            let (meant, found) = (asked.phase ?? -1, present.phase)
            fail(.effectFenced, "\(name) applies \(last.intent), meant for phase \(meant), in \(found)")
        }
        // Group time may change within the input, after the owner has decided.
        let time = min(timeBefore, machines[node].engine.groupTime(instant(node)))
        if last.from != own.owner, asked.expiresAt <= time {
            fail(.effectInTime, "\(name) applies \(last.intent) \(time - asked.expiresAt) ms too late")
        }
    }

    /// Checks that runs which began without a press began within the lateness.
    private mutating func checkLateness(from before: Register, to own: Register, at node: Int) {
        guard own.phase > before.phase, own.anchor.bootID == before.anchor.bootID else { return }
        let boot = instant(node).boot
        if own.status == .ready, own.autoAdvance, boot - own.anchor.boot > Limits.lateness { counters.add(.lateReady) }
        for run in own.runs where run.phase > before.phase {
            // If group time has jumped in this input, one of the two anchors is not in the time of the runs.
            let late = [before.anchor, own.anchor].map { boot - $0.boot + ($0.at - run.from) }.min() ?? 0
            if late > Limits.lateness {
                fail(.lateness, "\(Names.node(node)) starts phase \(run.phase) \(late) ms late")
            }
        }
    }

    /// Notes the effects of a journal that is on disk.
    mutating func witnessWritten(_ journal: Journal, by node: Int) {
        guard let own = journal.own, let last = own.last else { return }
        // A node that lost the end of its journal uses old versions again, which cannot be distinguished.
        if let top = witness.nodes[node].topVersion, own.version <= top { return }
        let effect = Witness.Effect(node: own.owner, version: own.version, session: own.id)
        let earlier = witness.effects[last.intent] ?? []
        if earlier.contains(effect) { return }
        // A later life and another owner do not know what has left the list.
        let isForgotten = witness.trimmed[last.intent].map { $0 != (node, machines[node].life) } ?? false
        // The liar may send an intent twice.
        if place(of: last.from) != nil, !isForgotten,
            let before = earlier.first(where: { witness.isInherited($0, by: own.id) })
        {
            fail(.effectOnce, "\(last.intent) took effect at \(before.version) and at \(effect.version)")
        }
        witness.effects[last.intent] = earlier + [effect]
    }

    mutating func witnessPublish(_ message: Message, by node: Int) {
        let name = Names.node(node)
        switch message {
        case .register(let register): witnessRegister(register, by: node)
        case .ack(.answer(let answer)):
            count(answer.outcome)
            checkRevision(of: answer, at: node)
            checkLife(of: answer, at: node)
            switch answer.outcome {
            case .applied, .duplicate: checkOnDisk(answer, at: node)
            // Sent to the session that continues, it may take effect.
            case .refused(.superseded): break
            case .noop, .refused: witness.nodes[node].refused.insert(answer.intent)
            }
        case .ack(.fork): counters.add(.forkObjection)
        case .ack(.clock): counters.add(.clockObjection)
        case .intent(let intent):
            lastIntent = intent
            checkForwarded(intent, by: node)
            if liar?.owns(intent.session) == true { witness.askedOfLiar.insert(intent.id) }
            if !witness.sent.insert(intent.id).inserted { counters.add(.sentAgain) }
            if let asked = witness.asked[intent.id], asked.session != intent.session { counters.add(.retargeted) }
            // A node that sends it on sets the expiry by its own clock.
            let expiresAt = max(intent.expiresAt, witness.asked[intent.id]?.expiresAt ?? intent.expiresAt)
            witness.asked[intent.id] = Witness.Asked(
                session: intent.session, phase: intent.phase, operation: intent.operation, expiresAt: expiresAt)
        case .presence, .notice, .hello, .ping, .pong: break
        }
        witnessBounded(message, by: node)
        if !machines[node].isLinked, machines[node].seen.view.isLinked, machines[node].backlog.isEmpty {
            tell("\(name) publishes into a connection that is gone")
        }
    }

    /// Checks a register that a node publishes.
    private mutating func witnessRegister(_ register: Register, by node: Int) {
        let name = Names.node(node)
        if register.owner != machines[node].id { fail(.ownRegisterOnly, "\(name) publishes \(register.owner)'s") }
        if machines[node].onDisk?.journal.own != register {
            fail(.publishFromDisk, "\(name) publishes \(register.version), which is not on disk")
        }
        if !witness.nodes[node].hasLooked {
            fail(.barrierFirst, "\(name) publishes \(register.version) before it has looked at the broker's")
        }
        if let before = witness.nodes[node].version, register.version < before {
            fail(.versionRises, "\(name) publishes \(register.version) after \(before)")
        }
        witness.nodes[node].version = register.version
        witness.nodes[node].topVersion = max(witness.nodes[node].topVersion ?? register.version, register.version)
        let known = witness.nodes[node].published.updateValue(register, forKey: register.version)
        if let known, known != register { fail(.versionUnique, "\(name) has two registers \(register.version)") }
        let isOver = register.status == .completed || register.status == .stopped
        if isOver, witness.offline.contains(register.id), !witness.published.contains(register.id) {
            fail(.notAnnounced, "\(name) announces \(register.id), which is over")
        }
        witness.published.insert(register.id)
        if let final = witness.finals[register.id], register.status != final {
            fail(.finalIsFinal, "\(register.id) was \(final) and is \(register.status)")
        }
        if !register.status.isLive { witness.finals[register.id] = register.status }
    }

    /// Checks that a payload is read as it was meant, in each minor version.
    mutating func witnessPayload(_ packet: Packet, of message: Message, by node: Int) {
        let own = machines[node].codec
        let codec =
            switch message {
            case .ping(_, let to), .pong(_, let to):
                place(of: to).map { machines[$0].codec } ?? WireCodec(space: own.topics.space, me: to)
            default: own
            }
        let read = packet.decoded(by: codec, retained: packet.retain, now: 0)
        guard read != .message(message, from: machines[node].id) else { return }
        fail(.payloadReadable, "\(Names.node(node)) publishes \(message), read as \(read)")
    }

    /// Checks that the effect which an answer reports is on disk.
    private mutating func checkOnDisk(_ answer: Answer, at node: Int) {
        // The end of an alarm and a message are on no disk.
        if witness.spoken.contains(answer.intent) { return }
        guard let own = machines[node].onDisk?.journal.own else {
            return fail(.appliedOnDisk, "\(Names.node(node)) answers \(answer.intent) without a journal")
        }
        // A revision of an earlier epoch says nothing about the present ones.
        let isEarlier = (witness.effects[answer.intent] ?? []).contains {
            $0.session == own.id && $0.version.epoch < own.epoch
        }
        // Ids leave a full list, perhaps before a held answer. A takeover may carry out more presses
        // than the list holds.
        let isFilled = own.continues != nil && own.applied.count == Limits.applied
        let isTrimmed = witness.trimmed[answer.intent] != nil || isFilled
        // Another session may have started since, which replaces the register.
        if own.id == answer.session, !isTrimmed, !own.applied.contains(answer.intent), !isEarlier {
            fail(.appliedOnDisk, "\(Names.node(node)) answers \(answer.outcome) to \(answer.intent) too early")
        }
    }

    mutating func witnessReply(_ reply: Reply, to ticket: Ticket, at node: Int) {
        if machines[node].open.removeValue(forKey: ticket) == nil {
            fail(.oneReply, "\(Names.node(node)) replies to \(ticket), which waits for nothing")
        }
        switch reply {
        case .answered(let answer):
            count(answer.outcome)
            checkRevision(of: answer, at: node)
            checkForged(answer, at: node)
            checkFollowed(answer, at: node)
            let isOwn = witness.nodes[node].own?.id == answer.session
            if isOwn, answer.outcome == .applied, machines[node].isDiskIdle,
                IntentID(answer.session.rawValue) != answer.intent
            {
                checkOnDisk(answer, at: node)
            }
        case .noAnswer: counters.add(.noAnswer)
        case .noSession, .invalid, .notPermitted: break
        }
    }

    /// Checks that a press is not refused as superseded although its session goes on, as this node shows.
    private mutating func checkFollowed(_ answer: Answer, at node: Int) {
        // A node may have forgotten the continuation of an old session.
        guard case .refused(.superseded) = answer.outcome, witness.sent.contains(answer.intent),
            let asked = witness.asked[answer.intent],
            let head = machines[node].engine.view(at: instant(node)).register, head.status.isLive,
            head.id != asked.session,
            place(of: head.owner) != nil,
            head.lineage == witness.lineage(of: asked.session)
        else { return }
        fail(
            .pressFollows,
            "\(Names.node(node)) is refused \(answer.intent) on \(asked.session), which goes on as \(head.id)")
    }

    private mutating func count(_ outcome: IntentOutcome) {
        switch outcome {
        case .applied: counters.add(.applied)
        case .duplicate: counters.add(.duplicateAnswer)
        case .noop: counters.add(.noop)
        case .refused(.superseded): counters.add(.superseded)
        case .refused(.stalePhase): counters.add(.stalePhase)
        case .refused(.expired): counters.add(.expired)
        case .refused(.notAllowed): counters.add(.notAllowed)
        case .refused(.invalid), .refused(.busy): break
        }
    }

    mutating func witnessNote(_ note: EngineNote, at node: Int) {
        switch note {
        case .superseded(let session, let by):
            counters.add(.yield)
            if witness.offline.remove(session) != nil { counters.add(.offlineStartLost) }
            if witness.offline.remove(by.session) != nil { counters.add(.offlineStartWon) }
        case .repaired: counters.add(.repair)
        case .recovered(let session):
            counters.add(.recovered)
            witnessRecovery(of: session, at: node)
            let found = witness.nodes[node].foundEpoch
            if let own = machines[node].own, own.epoch <= found {
                fail(.epochRises, "\(Names.node(node)) takes \(session) back in epoch \(own.epoch)")
            }
        case .discarded: counters.add(.discarded)
        case .tookOver(let session, let from): witnessTakeover(session, from: from, at: node)
        case .restamped: counters.add(.restamped)
        case .clockCorrected:
            counters.add(.clockCorrected)
            if isLiarPresent { witnessRate(of: .correction, at: node) }
        case .notAnnounced: counters.add(.notAnnounced)
        case .clockWrong, .noRetained, .journal: break
        }
    }

    /// Forgets the effects that a recovery undoes, and the session's final status. The broker may have an earlier
    /// register, such as a pause, and the same input may have ended that by a later start.
    private mutating func witnessRecovery(of session: SessionID, at node: Int) {
        if witness.nodes[node].own?.id != session { witness.returned.insert(session) }
        guard let own = machines[node].own, own.id == session else { return }
        for intent in witness.effects.keys where !own.applied.contains(intent) {
            witness.effects[intent]?.removeAll { $0.node == own.owner && $0.session == session }
        }
        if own.status.isLive || own.status == .superseded { witness.finals[session] = nil }
    }

    private mutating func witnessTakeover(_ session: SessionID, from: NodeID, at node: Int) {
        counters.add(.takeover)
        guard let own = machines[node].own, own.id == session else { return }
        if let last = own.last, let held = machines[node].engine.register(of: from),
            held.version == own.continues.map({ Version(epoch: $0.epoch, rev: $0.rev) }),
            held.applied.contains(last.intent)
        {
            fail(.effectOnce, "\(Names.node(node)) applies \(last.intent) again, which \(held.id) shows as applied")
        }
        if witness.nodes.contains(where: {
            $0.own?.lineage == own.lineage && $0.own?.continues?.node == from && $0.own?.id != own.id
        }) {
            counters.add(.doubleTakeover)
        }
        if let owner = machines.first(where: { $0.id == from }), owner.isAlive, !owner.isNapping, owner.isLinked,
            own.last != nil
        {
            counters.add(.falseSuspicion)
        }
    }
}

extension Witness {
    mutating func note(_ own: Register, holding register: (NodeID) -> Register?) {
        guard origins[own.id] == nil else { return }
        let parent = own.continues.flatMap { register($0.node) }
        origins[own.id] = Origin(
            lineage: own.lineage, parent: parent?.id,
            version: Version(epoch: own.continues?.epoch ?? 0, rev: own.continues?.rev ?? 0))
    }

    func lineage(of session: SessionID) -> SessionID { origins[session]?.lineage ?? session }

    /// Whether a session includes an effect: its own, or one before the takeover in a session that it continues.
    func isInherited(_ effect: Effect, by session: SessionID) -> Bool {
        var place = session
        var limit: Version?
        for _ in 0..<64 {
            if effect.session == place, limit.map({ effect.version <= $0 }) ?? true { return true }
            guard let origin = origins[place], let parent = origin.parent else { return false }
            (place, limit) = (parent, origin.version)
        }
        return false
    }
}
