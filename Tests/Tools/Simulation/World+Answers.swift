// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

extension World {
    /// The longest wait of an answer on an undisturbed connection: above the barrier, a twin's wait and a slow network.
    private static let answerTimeout = Microseconds(.seconds(12))

    /// Notes that a connection, a disk or a stop delays a node's answers.
    mutating func disturb(_ node: Int) { witness.nodes[node].undisturbedSince = now }

    /// Notes the answer that is owed for an intent of another node.
    mutating func witnessOwedAnswers(of input: Input, in actions: [NodeCore.Action], at node: Int) {
        switch input {
        case .linkUp, .linkDown: disturb(node)
        // The engine holds a limited number of answers while a disk fails.
        case .journalFailed: witness.nodes[node].owed = [:]
        case .received(.intent(let intent), let from, _) where from != machines[node].id:
            // A copy that comes after the effect may state another clock's expiry.
            let known = witness.nodes[node].expiries[intent.id]
            if known != nil || witness.nodes[node].decided[intent.id] == nil {
                let boot = instant(node).boot + (intent.expiresAt - timeBefore)
                witness.nodes[node].expiries[intent.id] = Witness.Expiry(
                    time: max(known?.time ?? .distantPast, intent.expiresAt),
                    boot: max(known?.boot ?? .distantPast, boot))
            }
            for case .write(let write) in actions {
                guard let last = write.journal.own?.last, last.intent == intent.id, last.from == from else { continue }
                witness.nodes[node].owed[intent.id] = now
            }
        default: break
        }
        // It is not known which answers were dropped, so none is owed any more.
        let dropped = machines[node].core.droppedAnswers
        if dropped != witness.nodes[node].droppedAnswers { witness.nodes[node].owed = [:] }
        witness.nodes[node].droppedAnswers = dropped
    }

    /// Notes a packet that reaches the broker.
    mutating func witnessArrival(of packet: Packet, from node: Int) {
        guard !witness.nodes[node].owed.isEmpty, packet.topic.hasSuffix("/ack") else { return }
        let decoded = packet.decoded(by: machines[node].codec, retained: false, now: 0)
        guard case .message(.ack(.answer(let answer)), _) = decoded else { return }
        witness.nodes[node].owed[answer.intent] = nil
    }

    // MARK: Effects

    mutating func witnessDecisions(upTo write: Int, at node: Int) {
        let boot = instant(node).boot
        for (intent, decision) in witness.nodes[node].decided
        where decision.write <= write && decision.writtenAt == nil {
            witness.nodes[node].decided[intent]?.writtenAt = boot
        }
    }

    /// Checks that an answer reports a revision of the register that includes its effect.
    mutating func checkRevision(of answer: Answer, at node: Int) {
        let name = Names.node(node)
        guard let decision = witness.nodes[node].decided[answer.intent], decision.session == answer.session else {
            return
        }
        let isTrue =
            switch answer.outcome {
            case .applied: answer.rev == decision.version.rev
            // Another epoch counts its own revisions.
            case .duplicate:
                answer.rev >= decision.version.rev || witness.nodes[node].own?.epoch != decision.version.epoch
            case .noop, .refused: true
            }
        if !isTrue {
            fail(.revisionTrue, "\(name) answers \(answer.intent) at revision \(answer.rev), not \(decision.version)")
        }
    }

    /// Checks that an answer does not wait longer than its asker can use it.
    mutating func checkLife(of answer: Answer, at node: Int) {
        guard answer.outcome == .applied, let writtenAt = witness.nodes[node].decided[answer.intent]?.writtenAt
        else { return }
        let waited = instant(node).boot - writtenAt
        if waited > Limits.intentLife {
            fail(.answerInTime, "\(Names.node(node)) answers \(answer.intent) after \(waited) ms")
        }
    }

    /// Checks that an intent which took effect here is forwarded only while it lives.
    mutating func checkForwarded(_ intent: Intent, by node: Int) {
        // A forwarded intent has a later expiry, so the one that it arrived with is compared.
        guard witness.nodes[node].decided[intent.id] != nil, let expiry = witness.nodes[node].expiries[intent.id],
            witness.nodes[node].forwarded.insert(intent.id).inserted
        else { return }
        let lateByBoot = instant(node).boot - expiry.boot
        let late = min(timeBefore, machines[node].engine.groupTime(instant(node))) - expiry.time
        // A liar may have moved group time by years since the intent arrived; a clock's correction moves it by minutes.
        let isMovedByLiar = late - lateByBoot > .days(1)
        let lateness = isMovedByLiar ? lateByBoot : late
        if lateness >= 0 { fail(.forwardedInTime, "\(Names.node(node)) forwards \(intent.id) \(lateness) ms too late") }
    }

    /// Notes the intents that have left a full list. It is that of the session before, or of the one that was taken
    /// over.
    mutating func witnessTrimming(of own: Register, after before: Register?, at node: Int) {
        guard own.applied.count == Limits.applied else { return }
        let taken = own.continues.flatMap { machines[node].engine.register(of: $0.node) }
        let former = before?.id == own.id ? before : taken
        for lost in former?.applied ?? [] where !own.applied.contains(lost) {
            witness.trimmed[lost] = (node, machines[node].life)
        }
    }

    /// Checks that a full list loses the oldest id of a peer that has the most. Askers of an earlier life are unknown.
    mutating func checkTrimming(from before: Register, to own: Register, at node: Int) {
        guard own.id == before.id, own.applied.count == Limits.applied, before.applied.count == Limits.applied,
            let lost = before.applied.first(where: { !own.applied.contains($0) })
        else { return }
        counters.add(.trimmed)
        let known = before.applied.compactMap { witness.nodes[node].decided[$0] }.filter { $0.session == own.id }
        guard known.count == before.applied.count, let asker = witness.nodes[node].decided[lost]?.asker else { return }
        let counts = known.reduce(into: [:]) { $0[$1.asker, default: 0] += 1 }
        if counts[asker] != counts.values.max() {
            fail(.trimmedFairly, "\(Names.node(node)) forgets \(lost), although \(asker) has not the most")
        }
    }

    // MARK: Answers

    /// Checks that an answer which its asker can still use leaves as soon as there is a connection.
    mutating func checkAnswers(of node: Int) {
        let state = witness.nodes[node]
        guard !state.owed.isEmpty, state.linkedAt != nil, now - state.undisturbedSince > Self.answerTimeout,
            let link = machines[node].connection, !connections[link].isUpBlocked, !connections[link].isDownBlocked
        else { return }
        for (intent, decidedAt) in state.owed where now - decidedAt > Self.answerTimeout {
            // Its asker stops waiting a second later at the latest.
            if now - decidedAt < Microseconds(Limits.intentLife - 1_000) {
                return fail(.answerLeaves, "\(Names.node(node)) has not answered \(intent)")
            }
            witness.nodes[node].owed[intent] = nil
        }
    }
}
