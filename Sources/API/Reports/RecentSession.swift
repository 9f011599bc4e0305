// SPDX-License-Identifier: Apache-2.0

package import Session

/// A session that a node has seen, with the request that starts it again.
package struct RecentSession: Codable, Hashable, Sendable {
    /// The first session of its chain of takeovers.
    package var lineage: String
    package var start: StartRequest
    /// The start of the session.
    package var startedAt: GroupTime
    /// The time that ran outside of breaks until it was last seen.
    package var done: Milliseconds
    /// Whether it was over when last seen.
    package var isFinal: Bool
    package var stop: Stop?

    /// Where the session was stopped.
    package struct Stop: Codable, Hashable, Sendable {
        /// When it was.
        package var at: GroupTime
        package var phase: Int
        /// The time that the phase had left, in seconds rounded up.
        package var left: Int
    }

    package init(_ register: Register, at groupTime: GroupTime) {
        lineage = register.lineage.rawValue
        start = StartRequest(register)
        startedAt = register.startedAt
        let end = register.hasOvertime ? groupTime : min(groupTime, register.endsAt ?? groupTime)
        done = register.runs.reduce(Milliseconds.zero) { sum, run in
            let isCounted = register.plan.indices.contains(run.phase) && !register.plan[run.phase].kind.isBreak
            return isCounted ? sum + max(0, (run.to ?? end) - run.from) : sum
        }
        isFinal = !register.status.isLive
        if register.status == .stopped {
            let left = register.currentPhase.length - register.anchor.elapsed
            stop = Stop(at: register.statusBeganAt, phase: register.phase, left: Int((left.count + 999) / 1_000))
        }
    }

    /// The request that goes on with a stopped session; a count-up starts again from zero. `nil` if the session was not
    /// stopped, or if nothing is left of it.
    package var remainder: StartRequest? {
        guard let stop else { return nil }
        guard let phases = start.phases else { return start }
        guard stop.left > 0, phases.indices.contains(stop.phase) else { return nil }
        var remainder = start
        remainder.phases = Array(phases[stop.phase...])
        remainder.phases?[0].seconds = stop.left
        return remainder
    }
}

extension [RecentSession] {
    /// The session that was stopped last. `nil` if nothing is left of it, or if a later session with the same title and
    /// label has gone on with it. The latest session is the first element.
    package var lastStopped: RecentSession? {
        guard let index = firstIndex(where: { $0.stop != nil }), self[index].remainder != nil else { return nil }
        let start = self[index].start
        let isContinued = self[..<index].contains { $0.start.title == start.title && $0.start.label == start.label }
        return isContinued ? nil : self[index]
    }
}
