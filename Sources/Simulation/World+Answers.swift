// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// Checks that no answer is lost.
extension World {
    /// The longest wait of an answer on an undisturbed connection, in microseconds.
    ///
    /// It is more than the barrier, a twin's wait and the slowest way to the broker.
    private static let answerPatience: Int64 = 12_000_000

    /// Notes that a connection, a disk or a stop delays a node's answers.
    mutating func disturb(_ node: Int) { witness.nodes[node].calmSince = now }

    /// Notes the answer that is owed for an intent of another node.
    mutating func witnessDebt(of input: Input, in actions: [NodeCore.Action], at node: Int) {
        switch input {
        case .linkUp, .linkDown: disturb(node)
        // The engine holds a limited number of answers while a disk fails.
        case .journalFailed: witness.nodes[node].owed = [:]
        case .received(.intent(let intent), let from, _) where from != machines[node].id:
            for case .persist(let write) in actions {
                guard let last = write.journal.own?.last, last.intent == intent.id, last.from == from else { continue }
                witness.nodes[node].owed[intent.id] = now
            }
        default: break
        }
        // Refusals wait for a connection as well. Of more than can wait the dropped ones are not known here.
        if witness.nodes[node].owed.isEmpty { witness.nodes[node].answers = 0 }
        witness.nodes[node].answers += actions.count {
            if case .send(_, _, of: .ack(.answer)?) = $0 { true } else { false }
        }
        if witness.nodes[node].answers > NodeCore.answersWithoutConnection { witness.nodes[node].owed = [:] }
    }

    /// Notes a packet that reaches the broker.
    mutating func witnessArrival(of packet: Packet, from node: Int) {
        guard !witness.nodes[node].owed.isEmpty, packet.topic.hasSuffix("/ack") else { return }
        let decoded = packet.decoded(by: machines[node].codec, retained: false, now: 0)
        guard case .message(.ack(.answer(let answer)), _) = decoded else { return }
        witness.nodes[node].owed[answer.intent] = nil
    }

    /// Checks that an answer which its asker can still use leaves as soon as there is a connection.
    mutating func checkAnswers(of node: Int) {
        let state = witness.nodes[node]
        guard !state.owed.isEmpty, state.linkedAt != nil, now - state.calmSince > Self.answerPatience,
            let link = machines[node].connection, !connections[link].isUpBlocked, !connections[link].isDownBlocked
        else { return }
        for (intent, decidedAt) in state.owed where now - decidedAt > Self.answerPatience {
            // Its asker stops waiting a second later at the latest.
            if now - decidedAt < (Limits.intentLife - 1_000) * 1_000 {
                return fail(.answerLeaves, "\(Names.node(node)) has not answered \(intent)")
            }
            witness.nodes[node].owed[intent] = nil
        }
    }
}
