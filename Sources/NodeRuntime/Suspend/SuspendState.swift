// SPDX-License-Identifier: Apache-2.0

import API
import Mosquitto
import Runtime
import Session

/// The progress of a suspend and a wake-up of the node's machine.
struct SuspendState {
    /// The timeout for the broker's acknowledgement after a wake-up; then the connection is renewed.
    private static let wakeTimeout: Milliseconds = .seconds(2)

    /// Why logind refused the lock that delays a suspend; `nil` if it did not.
    var lockRefusal: String?
    /// Called when the broker has acknowledged that this node is suspended.
    private var done: (@Sendable () -> Void)?
    /// The timer that fires when the broker has not acknowledged that this node is awake.
    private var wakeDeadline: LoopTimer?

    mutating func fallAsleep(then done: @escaping @Sendable () -> Void) { self.done = done }

    /// Ends a suspend. The broker may have closed the connection meanwhile without this machine noticing.
    mutating func wake(isLinked: Bool, client: MQTTClient?, on loop: EventLoop) {
        done = nil
        guard isLinked else { return client?.assumeIsolated { $0.reconnectNow() } ?? () }
        wakeDeadline = loop.makeTimer { client?.assumeIsolated { $0.renewConnection() } }
        wakeDeadline?.arm(after: Self.wakeTimeout)
    }

    mutating func noteConfirmedAnnouncement(isSleeping: Bool) {
        if isSleeping {
            done?()
            done = nil
        } else {
            wakeDeadline?.disarm()
            wakeDeadline = nil
        }
    }

    /// The problem that nothing delays a suspend; `nil` if logind granted the lock, or is not there.
    var problem: ProblemReport? {
        lockRefusal.map {
            ProblemReport(
                .noSuspendLock,
                "no lock delays a suspend, so other nodes notice late that this machine is suspended: \($0)",
                fix: "install polkit (Debian: apt install polkitd) and restart the node")
        }
    }
}
