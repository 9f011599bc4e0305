// SPDX-License-Identifier: Apache-2.0

import Session

/// The wait of the first connection for retained messages. Some brokers withhold retained messages from wildcard
/// subscriptions. Then a passing remote knows no node: it has sent a hello, and waits for the answers.
struct FirstCatchUp: Sendable {
    /// The time that a remote waits for answers to its hello. A judgement: a node answers one hello a second, up to 200
    /// ms later, so the owner's answer can be the last one.
    private static let helloPatience: Milliseconds = 1_500
    /// The wait for more answers once a live session is known: longer than the 200 ms over which nodes spread them.
    private static let helloSpread: Milliseconds = 300

    private(set) var isOver = false
    /// The wait for answers on the present connection; `nil` while there is none.
    private(set) var wait: Wait?
    private var isAnswered = false

    /// Records that the barrier has returned, and returns whether the wait has ended by this.
    mutating func barrierPassed(needsAnswers: Bool, at boot: BootTime) -> Bool {
        guard needsAnswers, !isOver else { return end() }
        wait = Wait(from: boot, for: Self.helloPatience)
        return false
    }

    /// Records a live register.
    mutating func receivedLive(at boot: BootTime) {
        guard let wait, !isAnswered else { return }
        isAnswered = true
        if boot + Self.helloSpread < wait.end { self.wait = Wait(from: boot, for: Self.helloSpread) }
    }

    /// Ends the wait if it is due, and returns whether it has ended.
    mutating func expire(at boot: BootTime) -> Bool {
        guard let wait, wait.end <= boot else { return false }
        return end()
    }

    /// Ends the wait, and returns whether it was not over before.
    mutating func end() -> Bool {
        defer { isOver = true }
        wait = nil
        return !isOver
    }
}
