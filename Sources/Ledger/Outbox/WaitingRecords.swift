// SPDX-License-Identifier: Apache-2.0

package import Session
import Wire

/// The records that wait for their acknowledgement, and when each is sent.
package struct WaitingRecords: Sendable {
    /// Records that are sent and not acknowledged at one time. The protocol states the number. It keeps a service busy
    /// that writes in bulk, and no more are lost while it is away.
    private static let window = 32
    /// The time until an unanswered record is sent again; the interval doubles. The protocol states it. Shorter repeats
    /// records that a busy service is still writing; longer keeps a lost record out of the week for longer.
    private static let firstRetryInterval: Milliseconds = .seconds(10)
    /// The longest interval. The protocol states it. Shorter repeats more to a service whose disk is full; longer
    /// delays the records once it can write again.
    private static let longestRetryInterval: Milliseconds = .seconds(600)

    package internal(set) var records: [SessionID: Waiting] = [:]
    /// The sessions whose records are to be sent as the window allows, the first one last.
    private var queue: [SessionID] = []
    private var isUp = false
    /// Whether the service has sent something on this connection.
    var isServicePresent = false
    /// The records that the outbox sends now; empty without a connection.
    var outgoing: [DigestedRecord] = []

    /// A record without an acknowledgement.
    package struct Waiting: Sendable {
        let digested: DigestedRecord
        var place: RecordPlace
        /// When it was last sent on this connection.
        var sentAt: BootTime?
        /// How often it was sent on this connection.
        var tries = 0
        /// Whether the service has refused it.
        var isSetAside = false

        /// The wait for its acknowledgement; `nil` if it was not sent on this connection.
        var wait: Wait? {
            let interval = WaitingRecords.firstRetryInterval.doubled(min(max(tries - 1, 0), 10))
            return sentAt.map { Wait(from: $0, for: min(interval, WaitingRecords.longestRetryInterval)) }
        }
    }

    package mutating func noteLink(isUp: Bool, at boot: BootTime) {
        self.isUp = isUp
        // The service may have sent something since this connection was subscribed.
        isServicePresent = isServicePresent && isUp
        if isUp { enqueueAll(at: boot) }
    }

    /// Sends all records from the first one, whatever was sent before.
    mutating func enqueueAll(at boot: BootTime) {
        records = records.mapValues { entry in
            var entry = entry
            (entry.sentAt, entry.tries) = (nil, 0)
            return entry
        }
        queue = records.filter { !$0.value.isSetAside }.keys.sorted(by: >)
        drain(at: boot)
    }

    mutating func enqueue(_ ids: [SessionID], at boot: BootTime) {
        queue = (queue + ids).sorted(by: >)
        drain(at: boot)
    }

    /// Sends queued records as far as the window allows.
    mutating func drain(at boot: BootTime) {
        guard isUp else { return }
        var sentCount = records.values.count { $0.sentAt != nil && !$0.isSetAside }
        while sentCount < Self.window, let id = queue.popLast() {
            guard let entry = records[id], entry.sentAt == nil else { continue }
            send(id, at: boot)
            sentCount += 1
        }
    }

    mutating func send(_ id: SessionID, at boot: BootTime) {
        guard isUp, let entry = records[id], !entry.isSetAside else { return }
        records[id]?.sentAt = boot
        records[id]?.tries += 1
        outgoing.append(entry.digested)
    }

    /// Sends unanswered records again while the service is present.
    package mutating func retry(at boot: BootTime) {
        guard isUp, isServicePresent else { return }
        for (id, entry) in records.sorted(by: { $0.key < $1.key }) {
            if let wait = entry.wait, wait.end <= boot { send(id, at: boot) }
        }
        drain(at: boot)
    }

    /// The wait before ``retry(at:)`` is to be called: up to 5 s after a record is due. The delay is random, so that
    /// the nodes of a service that was busy do not all return at once.
    package func retryWait(using random: inout SplitMix64) -> Wait? {
        guard isUp, isServicePresent else { return nil }
        let waits = records.values.filter { !$0.isSetAside }.compactMap(\.wait)
        guard var wait = waits.min(by: { $0.end < $1.end }) else { return nil }
        wait.length += .random(upTo: Self.firstRetryInterval / 2, using: &random)
        return wait
    }
}
