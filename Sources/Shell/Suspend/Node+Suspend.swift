// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Session
import Wire

/// What a node does when its machine suspends and wakes.
extension Node {
    /// How long the broker may take to acknowledge that this node is awake, in milliseconds.
    private static let wakePatience: Int64 = 2_000

    /// Tells the others that this node sleeps. Called from any thread.
    /// - Parameter done: Called when the broker has acknowledged it, or at once when there is none.
    public nonisolated func fallAsleep(then done: @escaping @Sendable () -> Void) {
        loop.execute { [weak self] in
            if let self { self.assumeIsolated { $0.beginSleep(then: done) } } else { done() }
        }
    }

    /// Tells the others that this node is awake, and finds out at once whether its connection still is. Called from any
    /// thread.
    public nonisolated func wakeFromSleep() {
        loop.execute { [weak self] in self?.assumeIsolated { $0.endSleep() } }
    }

    /// Notes whether logind gave the lock that delays a suspend. Called from any thread.
    /// - Parameter reason: Why it did not; `nil` where it did.
    public nonisolated func suspendLock(refusedBecause reason: String?) {
        loop.execute { [weak self] in self?.assumeIsolated { $0.suspendRefusal = reason } }
    }

    /// A suspend that nothing delays; `nil` where logind gave the lock, or there is no logind.
    var suspendProblem: ProblemReport? {
        suspendRefusal.map {
            ProblemReport(
                .noSuspendLock, "no lock delays a suspend, so the others hear late that this machine sleeps: \($0)",
                mend: "install polkit (Debian: apt install polkitd) and start the node again")
        }
    }

    private func beginSleep(then done: @escaping @Sendable () -> Void) {
        guard identity.isAnnounced, view.isLinked else {
            feed(.sleeping(true))
            return done()
        }
        sleepHeard = done
        feed(.sleeping(true))
    }

    private func endSleep() {
        sleepHeard = nil
        let client = client
        // The other end may have given the connection up meanwhile without a word that got through.
        wakeDeadline = loop.makeTimer { client?.assumeIsolated { $0.renewConnection() } }
        if view.isLinked {
            wakeDeadline?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Self.wakePatience)
        } else {
            client?.assumeIsolated { $0.reconnectNow() }
        }
        feed(.sleeping(false))
    }

    func presenceSent(isSleeping: Bool, _ result: Result<PublishOutcome, MQTTError>) {
        if isSleeping {
            sleepHeard?()
            sleepHeard = nil
        } else if case .success = result {
            wakeDeadline?.cancel()
            wakeDeadline = nil
        }
    }
}
