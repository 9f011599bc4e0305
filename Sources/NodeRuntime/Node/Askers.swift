// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Session

/// The callers of a node that wait: for the reply to a request, or for a condition.
struct Askers {
    /// The callers that wait for the retained messages of the first connection.
    var catchUp = Waiters()
    var confirming = Waiters()
    private enum Asker {
        case asked
        case replied(Reply)
        case waiting(CheckedContinuation<Reply, Never>)
    }

    private var lastTicket: Ticket = 0
    private var askers: [Ticket: Asker] = [:]
    private var replies: [(ticket: Ticket, reply: Reply)] = []

    /// Returns a new ticket. Call it before the core receives the request.
    mutating func makeTicket() -> Ticket {
        lastTicket += 1
        askers[lastTicket] = .asked
        return lastTicket
    }

    /// Whether a ticket has no reply yet.
    func isOpen(_ ticket: Ticket) -> Bool {
        switch askers[ticket] {
        case .asked, .waiting: true
        case .replied, nil: false
        }
    }

    mutating func wait(for ticket: Ticket, _ continuation: CheckedContinuation<Reply, Never>) {
        if case .replied(let reply) = askers[ticket] {
            askers[ticket] = nil
            continuation.resume(returning: reply)
        } else {
            askers[ticket] = .waiting(continuation)
        }
    }

    /// Adds a reply that ``deliver(on:)`` hands out, after all actions of the event.
    mutating func add(_ reply: Reply, to ticket: Ticket) { replies.append((ticket, reply)) }

    /// Hands out the added replies.
    mutating func deliver(on loop: EventLoop) {
        guard !replies.isEmpty else { return }
        for (ticket, reply) in replies {
            switch askers[ticket] {
            case .asked: askers[ticket] = .replied(reply)
            case .waiting(let continuation):
                askers[ticket] = nil
                // After the published messages were written: waking a thread takes longer than that.
                loop.executeLast { continuation.resume(returning: reply) }
            case .replied, nil: break
            }
        }
        replies.removeAll(keepingCapacity: true)
    }
}

/// The callers that wait for one condition, each until a deadline of its own.
struct Waiters {
    private var lastCaller = 0
    private var continuations: [Int: CheckedContinuation<Void, Never>] = [:]

    mutating func makeCaller() -> Int {
        lastCaller += 1
        return lastCaller
    }

    mutating func add(_ continuation: CheckedContinuation<Void, Never>, of caller: Int) {
        continuations[caller] = continuation
    }

    mutating func resume(_ caller: Int) { continuations.removeValue(forKey: caller)?.resume() }

    /// Resumes all callers, because the condition holds.
    mutating func resume() {
        for continuation in continuations.values { continuation.resume() }
        continuations = [:]
    }
}
