// SPDX-License-Identifier: Apache-2.0

public import Session

/// Hands a core one event after the other, and lets it rest when none waits any more. The node, the services, the
/// simulated machine, the tests and the bench run their cores with it:
/// ```swift
/// loop.add(event)
/// while let actions = loop.next(at: now) { for action in actions { perform(action) } }
/// ```
/// An event that is added by an action is handled after all actions of the present event.
public struct CoreLoop: Sendable {
    /// Changed only by ``next(at:)``.
    public private(set) var core: NodeCore
    private var waiting: [NodeCore.Event] = []
    private var hasRested = true

    /// Makes the loop of a core that has handled no event yet.
    public init(_ core: NodeCore) { self.core = core }

    public mutating func add(_ event: NodeCore.Event) { waiting.append(event) }

    /// The event that ``next(at:)`` hands to the core; `nil` before a rest.
    package var nextEvent: NodeCore.Event? { waiting.first }
    /// Whether ``next(at:)`` has nothing to do.
    package var isAtRest: Bool { waiting.isEmpty && hasRested }

    /// Hands the next event to the core, or lets it rest after the last one. Returns its actions; `nil` at rest.
    public mutating func next(at now: Instant) -> [NodeCore.Action]? {
        if isAtRest { return nil }
        hasRested = waiting.isEmpty
        return hasRested ? core.rest(at: now) : core.handle(waiting.removeFirst(), at: now)
    }
}
