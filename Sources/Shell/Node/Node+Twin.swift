// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Session
import Wire

/// Another program that takes part in the space under this node's id, as after a machine was cloned.
struct Twin {
    /// How often it is heard before a person is told: one message may be left over from an earlier process of this node.
    private static let certain = 2
    /// The longest wait between two attempts of the one that backs off, in milliseconds.
    private static let longestWait: Int64 = 60_000
    private static let shortestWait: Int64 = 2_000
    /// For how long it is told of after it was last heard, in milliseconds: longer than it may wait between two attempts.
    private static let memory = 3 * longestWait
    /// Connections of this process that are remembered.
    private static let connections = 16

    /// Connections of this process, whose presence may still come back.
    private var own: [ConnectionID] = []
    private var lastHeard: Int64?
    private var timesHeard = 0
    private var retreats = 0
    /// Whether it was heard on the present connection.
    private var isHere = false
    /// What it last called itself.
    private(set) var name = ""
    /// Whether it may be there, so that the barrier waits for its answer.
    private(set) var isExpected = false
    /// Whether the present connection is about to be given up to it.
    private(set) var isYielding = false

    /// Begins a connection of this process.
    mutating func connected(as connection: ConnectionID) {
        own.append(connection)
        if own.count > Self.connections { own.removeFirst() }
        isExpected = retreats > 0
        isHere = false
        isYielding = false
    }

    /// Looks at a presence under this node's id.
    /// - Parameter boot: The boot clock, in milliseconds.
    /// - Returns: Whether a person should be told now.
    mutating func hear(_ presence: Presence, retained: Bool, on connection: ConnectionID, at boot: Int64) -> Bool {
        guard presence.online, !own.contains(presence.connection) else { return false }
        // The broker may have kept it from a connection that is gone.
        guard !retained else {
            isExpected = true
            return false
        }
        if !isKnown(at: boot) { timesHeard = min(timesHeard, Self.certain - 1) }
        timesHeard += 1
        lastHeard = boot
        isHere = true
        name = presence.name
        // The ids of connections are ordered by time: whichever came later backs off.
        if presence.connection < connection { isYielding = true }
        return timesHeard == Self.certain
    }

    /// Notes that the present connection goes on.
    mutating func stays() {
        retreats = 0
        isExpected = false
        if !isHere { timesHeard = 0 }
    }

    /// The wait before the next attempt, in milliseconds: longer each time, and of random length so that two do not meet
    /// again and again.
    mutating func nextWait() -> Int64 {
        let wait = min(Self.longestWait, Self.shortestWait << Int64(min(retreats, 8)))
        retreats += 1
        return wait - Int64.random(in: 0...wait / 4)
    }

    /// Whether a person should know of it.
    func isKnown(at boot: Int64) -> Bool {
        guard timesHeard >= Self.certain, let lastHeard else { return false }
        return boot - lastHeard < Self.memory
    }
}

extension Node {
    /// How long a node waits for the answer of a twin that may be there, in milliseconds. The engine takes the barrier for
    /// passed half a second later.
    private static let twinPatience: Int64 = 1_500

    /// Another machine that uses this node's id; `nil` where there is none.
    var twinProblem: ProblemReport? {
        guard twin.isKnown(at: EventLoop.bootMilliseconds()) else { return nil }
        let rule =
            view.isLinked
            ? "this one came first and goes on" : "it came first, so this one keeps off the broker and looks again"
        return ProblemReport(
            .sameID, "another machine uses the id \(identity.node) in the space \(space): \(rule)",
            mend: "give one of the two another id: LOCKSTEP_NODE in its node.env")
    }

    /// Looks for a twin in what came under this node's id.
    /// - Returns: Whether the connection is given up to it, so that nothing of it counts any more.
    func yieldsToTwin(_ presence: Presence, retained: Bool) -> Bool {
        guard let connection, !twin.isYielding else { return twin.isYielding }
        if twin.hear(presence, retained: retained, on: connection, at: EventLoop.bootMilliseconds()) {
            log.warning(
                "another machine uses the id \(identity.node): give one of the two another LOCKSTEP_NODE",
                metadata: ["name": "\(twin.name)"])
        }
        guard twin.isYielding else { return false }
        // The client is in the middle of handing over what it has read.
        loop.execute { [weak self] in self?.assumeIsolated { $0.yieldToTwin() } }
        return true
    }

    private func yieldToTwin() {
        let wait = twin.nextWait()
        log.info(
            "another connection under this node's id came first; this one is given up to it",
            metadata: ["nextAttemptIn": "\(wait) ms"])
        client?.assumeIsolated { $0.rest(milliseconds: wait) }
    }

    /// Lets the barrier pass, at once or when a twin would have answered.
    func barrierCameBack(_ id: ConnectionID) {
        guard twin.isExpected else { return pass(barrier: id) }
        twinDeadline = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.pass(barrier: id) } }
        twinDeadline?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Self.twinPatience)
    }

    private func pass(barrier id: ConnectionID) {
        guard id == connection, !twin.isYielding else { return }
        twin.stays()
        feed(.barrierPassed(id))
        settledAfterHello()
        linkRecords(isUp: true)
        releaseAnswers()
        if canBeDeaf { client?.assumeIsolated { $0.unsubscribe([codec.ownSession], completion: nil) } }
    }
}
