// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Runtime
import Session

/// The callers of a node that wait: for the reply to a request, or for a condition.
struct Askers {
    /// The callers that wait for the retained messages of the first connection.
    var catchUp = Waiters()
    /// The callers that wait until the broker has acknowledged all registers.
    var registerConfirmation = Waiters()

    private var lastTicket: Ticket = 0
    private var waiting: [Ticket: CheckedContinuation<Reply, Never>] = [:]
    private var replies: [(ticket: Ticket, reply: Reply)] = []

    mutating func makeTicket() -> Ticket {
        lastTicket += 1
        return lastTicket
    }

    /// Adds a caller that waits for a reply. Call it before the core receives the request.
    mutating func add(_ asker: CheckedContinuation<Reply, Never>, with ticket: Ticket) { waiting[ticket] = asker }

    /// Returns whether the caller with a ticket still waits.
    func isOpen(_ ticket: Ticket) -> Bool { waiting[ticket] != nil }

    /// Adds a reply that ``deliver(on:)`` hands out, after all actions of the event.
    mutating func queue(_ reply: Reply, for ticket: Ticket) { replies.append((ticket, reply)) }

    mutating func deliver(on loop: EventLoop) {
        guard !replies.isEmpty else { return }
        for (ticket, reply) in replies {
            guard let asker = waiting.removeValue(forKey: ticket) else { continue }
            // Last, after the published messages were written: waking the caller's thread takes longer than that.
            loop.executeLast { asker.resume(returning: reply) }
        }
        replies.removeAll(keepingCapacity: true)
    }
}

/// The callers that wait for one condition, each until a deadline of its own.
struct Waiters {
    private var lastCaller = 0
    private var continuations: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Returns the number of the caller.
    mutating func add(_ continuation: CheckedContinuation<Void, Never>) -> Int {
        lastCaller += 1
        continuations[lastCaller] = continuation
        return lastCaller
    }

    mutating func resume(_ caller: Int) { continuations.removeValue(forKey: caller)?.resume() }

    /// Resumes all callers, because the condition holds.
    mutating func resume() {
        for continuation in continuations.values { continuation.resume() }
        continuations = [:]
    }
}

extension Node {
    /// Waits until a condition holds, or a time has passed.
    func wait(for condition: any WritableKeyPath<Askers, Waiters> & Sendable, atMost time: Milliseconds) async {
        var deadline: LoopTimer?
        await withCheckedContinuation { continuation in
            let caller = askers[keyPath: condition].add(continuation)
            deadline = loop.makeTimer { [weak self] in
                self?.assumeIsolated { $0.askers[keyPath: condition].resume(caller) }
            }
            deadline?.arm(after: time)
        }
        deadline?.disarm()
    }
}
