// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The events of one client, in order, for one consumer.
///
/// It holds a bounded number of messages. Further ones are dropped, and their number is told by one
/// ``Event/overflow(dropped:)`` at their place. What is told of connections is never dropped. It ends with the client.
public struct EventStream: AsyncSequence, Sendable {
    /// What the stream yields.
    public typealias Element = Event
    /// The stream does not fail.
    public typealias Failure = Never

    let buffer: EventBuffer

    /// Takes events out of the stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: EventBuffer

        /// The next event, or `nil` when the client has ended or the task was cancelled.
        public mutating func next() async -> Event? {
            await buffer.next()
        }

        /// The next event, or `nil` when the client has ended or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
            await buffer.next()
        }
    }

    /// Begins to take events. Two iterators would share them between each other.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }
}

/// The store behind an ``EventStream``.
final class EventBuffer: Sendable {
    private struct State {
        let limit: Int
        var events = Fifo<Event>()
        var messages = 0
        var dropped = 0
        var ended = false
        var waiting: CheckedContinuation<Event?, Never>?

        mutating func append(_ event: Event) {
            if case .message = event {
                guard messages < limit else {
                    dropped += 1
                    return
                }
                messages += 1
            }
            tellOverflow()
            events.append(event)
        }

        mutating func popFirst() -> Event? {
            guard let event = events.popFirst() else { return nil }
            if case .message = event {
                messages -= 1
                tellOverflow()
            }
            return event
        }

        private mutating func tellOverflow() {
            guard dropped > 0 else { return }
            events.append(.overflow(dropped: dropped))
            dropped = 0
        }
    }

    private let state: Mutex<State>

    init(limit: Int) { state = Mutex(State(limit: max(1, limit))) }

    func append(_ event: Event) {
        take { state in
            if !state.ended { state.append(event) }
        }
    }

    /// What is there is still yielded.
    func end() {
        take { $0.ended = true }
    }

    func next() async -> Event? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                take { state in
                    precondition(state.waiting == nil, "two consumers on one event stream")
                    state.waiting = continuation
                    if Task.isCancelled { Self.release(&state) }
                }
            }
        } onCancel: {
            take { Self.release(&$0) }
        }
    }

    /// Changes the state, then serves the waiting consumer if there is something for it.
    private func take(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            guard let waiting = state.waiting else { return }
            if let event = state.popFirst() {
                state.waiting = nil
                waiting.resume(returning: event)
            } else if state.ended {
                state.waiting = nil
                waiting.resume(returning: nil)
            }
        }
    }

    private static func release(_ state: inout State) {
        state.waiting?.resume(returning: nil)
        state.waiting = nil
    }
}
