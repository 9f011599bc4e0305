// SPDX-License-Identifier: Apache-2.0

import Core
import Mosquitto
import Runtime
import Session

extension Node {
    /// Announces that this machine suspends, then calls `done`; without a connection at once. Called from any thread.
    package nonisolated func fallAsleep(then done: @escaping @Sendable () -> Void) {
        loop.execute { [weak self] in
            if let self { self.assumeIsolated { $0.beginSleep(then: done) } } else { done() }
        }
    }

    private func beginSleep(then done: @escaping @Sendable () -> Void) {
        let isAnnounced = identity.publishesPresence && view.isLinked
        if isAnnounced { suspend.fallAsleep(then: done) }
        handle(.input(.sleeping(true)))
        if !isAnnounced { done() }
    }

    /// Announces that this machine is awake, and checks its connection. Called from any thread.
    package nonisolated func wakeFromSleep() {
        loop.execute { [weak self] in
            self?.assumeIsolated { node in
                node.suspend.wake(isLinked: node.view.isLinked, client: node.link.client, on: node.loop)
                node.handle(.input(.sleeping(false)))
            }
        }
    }

    /// Notes why logind has refused the lock that delays a suspend; `nil` if it has not. Called from any thread.
    package nonisolated func noteSuspendLockRefusal(_ reason: String?) {
        loop.execute { [weak self] in self?.assumeIsolated { $0.suspend.lockRefusal = reason } }
    }
}
