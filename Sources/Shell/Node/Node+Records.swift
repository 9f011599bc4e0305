// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Session
import Wire

/// The ledger records of this node on their way to the debt service.
extension Node {
    /// How long a record waits behind its journal, in milliseconds: nobody waits for it, somebody may for the processor,
    /// and of presses in quick succession only the last is told.
    private static let recordRest: Int64 = 50

    /// Once the journal is on disk, the records that go with it are sent a moment later.
    func scheduleRecords() {
        guard recordsSafeUpTo != nil, outbox != nil, !isRecordReleaseSet else { return }
        isRecordReleaseSet = true
        recordRelease?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Self.recordRest)
    }

    func releaseRecords() {
        isRecordReleaseSet = false
        guard let write = recordsSafeUpTo.take() else { return }
        outbox?.release(upTo: write, at: clocks().boot)
        sendRecords()
    }

    func linkRecords(isUp: Bool) {
        outbox?.link(isUp: isUp, at: clocks().boot)
        sendRecords()
    }

    func hear(_ ack: LedgerAck) {
        guard identity.isAnnounced, ack.node == identity.node else { return }
        outbox?.hear(ack, at: clocks().boot)
        sendRecords()
    }

    func retryRecords() {
        outbox?.retry(at: clocks().boot)
        sendRecords()
    }

    private func sendRecords() {
        for filed in outbox?.takeOutgoing() ?? [] {
            let message = Mosquitto.Message(codec.encode(filed))
            client?.assumeIsolated { $0.send(message) { _ in } }
        }
        for note in outbox?.takeNotes() ?? [] { say(note) }
        var random = SystemRandomNumberGenerator()
        if let due = outbox?.nextRetry(using: &random) {
            recordRetry?.arm(atBootMilliseconds: due - clocks().boot + EventLoop.bootMilliseconds())
        } else {
            recordRetry?.disarm()
        }
    }

    private func say(_ note: OutboxNote) {
        switch note {
        case .notPutAway(let error):
            log.error("a ledger record cannot be put away", metadata: ["reason": "\(error)"])
        case .notTaken(let session, let outcome):
            log.warning(
                "the ledger does not take a record", metadata: ["session": "\(session)", "outcome": "\(outcome)"])
        }
    }
}
