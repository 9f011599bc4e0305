// SPDX-License-Identifier: Apache-2.0

import Session

/// The wait of the first connection for retained messages, and that of a press while no session is known. Some brokers
/// withhold retained messages, and members of clusters may keep them separately. So a program that needs to know the
/// session sends a hello, and waits for the answers.
struct CatchUp: Sendable {
    /// The time that a program waits for answers to its hello. A node answers one hello a second, up to 200 ms later. A
    /// shorter wait could miss the owner's answer; a longer one delays a press.
    static let helloTimeout: Milliseconds = 1_500
    /// The wait for more answers once a live session is known. Nodes spread their answers over 200 ms.
    private static let moreAnswersWait: Milliseconds = 300

    private(set) var isOver = false
    /// The wait for answers on the present connection; `nil` while there is none.
    private(set) var wait: Wait?
    private var isAnswered = false
    /// Requests of people that wait for the answers, each with the group time at which it was made.
    private var held: [(input: Input, ticket: Ticket, time: GroupTime)] = []

    /// Notes that the barrier has returned, and returns whether the wait has ended by this.
    mutating func noteBarrierPassed(needsAnswers: Bool, at boot: BootTime) -> Bool {
        guard needsAnswers, !isOver else { return end() }
        wait = Wait(from: boot, for: Self.helloTimeout)
        return false
    }

    mutating func noteLiveSession(at boot: BootTime) {
        guard let wait, !isAnswered else { return }
        isAnswered = true
        if boot + Self.moreAnswersWait < wait.end { self.wait = Wait(from: boot, for: Self.moreAnswersWait) }
    }

    /// Ends the wait if it is due, and returns whether it has ended.
    mutating func expire(at boot: BootTime) -> Bool {
        guard let wait, wait.end <= boot else { return false }
        return end()
    }

    /// Holds a request until the answers have come.
    mutating func hold(_ input: Input, ticket: Ticket, since time: GroupTime, at boot: BootTime) {
        held.append((input, ticket, time))
        if wait == nil { (wait, isAnswered) = (Wait(from: boot, for: Self.helloTimeout), false) }
    }

    /// Removes the requests that need not wait any more.
    mutating func removeHeld(isConnected: Bool) -> [(input: Input, ticket: Ticket, time: GroupTime)] {
        if isConnected, wait != nil || held.isEmpty { return [] }
        defer { held = [] }
        return held
    }

    mutating func hangUp(_ ticket: Ticket) { held.removeAll { $0.ticket == ticket } }

    /// Ends the wait, and returns whether it was not over before.
    mutating func end() -> Bool {
        defer { isOver = true }
        wait = nil
        return !isOver
    }
}
