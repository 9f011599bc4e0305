// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Session
import Wire

/// The ledger records of this node on their way to the debt service.
extension Node {
    /// The journal that goes with the records that are held is on disk.
    func recordsAreSafe() {
        guard let outbox else { return }
        outbox.release(at: clocks().boot)
        sendRecords()
        guard outbox.needsSaving else { return }
        // Behind the writing of what was published: until then the journal holds what the file will.
        loop.execute { [weak self] in self?.assumeIsolated { $0.outbox?.save() } }
    }

    func linkRecords(isUp: Bool) {
        outbox?.link(isUp: isUp, at: clocks().boot)
        sendRecords()
    }

    func hear(_ ack: LedgerAck) {
        guard let outbox, identity.isAnnounced, ack.node == identity.node else { return }
        let now = clocks()
        outbox.hear(ack, at: now.boot, groupTime: groupTime(at: now))
        sendRecords()
    }

    func retryRecords() {
        outbox?.retry(at: clocks().boot)
        sendRecords()
    }

    /// How many ledger records wait for their acknowledgement.
    public var waitingRecords: Int { outbox?.waiting ?? 0 }

    private func sendRecords() {
        guard let outbox else { return }
        for filed in outbox.takeOutgoing() {
            let message = Mosquitto.Message(codec.encode(filed))
            client?.assumeIsolated { $0.send(message) { _ in } }
        }
        if let due = outbox.nextRetry() {
            recordRetry?.arm(atBootMilliseconds: due - clocks().boot + EventLoop.bootMilliseconds())
        } else {
            recordRetry?.disarm()
        }
    }
}
