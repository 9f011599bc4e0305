// SPDX-License-Identifier: Apache-2.0

import Session

/// Detects another program that uses this node's id, as after a machine was cloned, and makes way for it.
struct Twin: Sendable {
    /// The number of presences that prove a twin. The first may be left over from an earlier process.
    private static let certainPresences = 2
    /// The longest wait of the program that makes way. The protocol states it. Shorter disturbs the twin that stays
    /// more often; longer keeps this program away for longer after the twin has gone.
    private static let longestWait: Milliseconds = .seconds(60)
    /// The first wait; it doubles. The protocol states it. The twin publishes at most once a second, so after a shorter
    /// wait it could not answer again yet. A longer one costs time if the twin is soon gone.
    private static let shortestWait: Milliseconds = .seconds(2)
    /// The time after the last presence until the conflict counts as over: longer than the time between two attempts.
    private static let conflictMemory = 3 * longestWait
    /// The time that the barrier waits for a twin's answer. The protocol states it. Shorter could miss a twin, which
    /// answers at most once a second. Longer delays the node after each such connection; 2 s after it the engine counts
    /// the barrier as passed anyway.
    private static let answerTimeout: Milliseconds = 1_500
    /// The number of this process's connections that are remembered. Presences of older ones do not arrive any more.
    /// With fewer, an own late presence looks like a twin's; more only take memory.
    private static let connectionsLimit = 16

    /// Connections of this process, whose presences may still return.
    private var ownConnections: [ConnectionID] = []
    private var lastReceived: BootTime?
    private var presences = 0
    private var timesMadeWay = 0
    /// Whether a twin's presence has arrived on the present connection.
    private var isHere = false
    /// The other program's name for people.
    private(set) var name = ""
    /// Whether a twin may be there, so that the barrier waits for its answer.
    private var isExpected = false
    /// When the barrier returned that waits for a twin's answer; `nil` while no barrier waits.
    private var barrierReturnedAt: BootTime?
    /// Whether the present connection is about to be given up to the twin.
    private(set) var isMakingWay = false

    /// When the barrier passes without an answer.
    var deadline: BootTime? { barrierReturnedAt.map { $0 + Self.answerTimeout } }

    mutating func noteConnected(as connection: ConnectionID) {
        ownConnections.append(connection)
        if ownConnections.count > Self.connectionsLimit { ownConnections.removeFirst() }
        isExpected = timesMadeWay > 0
        isHere = false
        isMakingWay = false
    }

    /// Receives a presence under this node's id, and returns whether to tell a person now.
    mutating func receive(_ presence: Presence, retained: Bool, on connection: ConnectionID, at boot: BootTime) -> Bool
    {
        guard presence.isOnline, !ownConnections.contains(presence.connection) else { return false }
        // A retained presence may be left over from a connection that has ended.
        guard !retained else {
            isExpected = true
            return false
        }
        if !isKnown(at: boot) { presences = min(presences, Self.certainPresences - 1) }
        presences += 1
        lastReceived = boot
        isHere = true
        name = presence.name
        // Ids of connections are ordered by time, and the later one backs off.
        if presence.connection < connection {
            isMakingWay = true
            barrierReturnedAt = nil
        }
        return presences == Self.certainPresences
    }

    /// Makes the barrier of the present connection wait for a twin's answer.
    mutating func expect() { isExpected = true }

    /// Returns whether the barrier passes at once; otherwise it waits until ``deadline`` for a twin's answer.
    mutating func noteBarrierReturned(at boot: BootTime) -> Bool {
        if isExpected { barrierReturnedAt = boot }
        return !isExpected
    }

    mutating func noteDisconnected() {
        barrierReturnedAt = nil
        isMakingWay = false
    }

    /// Notes that no twin has claimed the present connection.
    mutating func keepConnection() {
        timesMadeWay = 0
        isExpected = false
        barrierReturnedAt = nil
        if !isHere { presences = 0 }
    }

    /// Returns the next wait: it doubles, and is up to a quarter shorter at random. So two programs do not meet again
    /// and again.
    mutating func nextWait(using random: inout SplitMix64) -> Milliseconds {
        let wait = min(Self.longestWait, Self.shortestWait.doubled(min(timesMadeWay, 8)))
        timesMadeWay += 1
        return wait - .random(upTo: wait / 4, using: &random)
    }

    /// Whether to show the conflict to people.
    func isKnown(at boot: BootTime) -> Bool {
        guard presences >= Self.certainPresences, let lastReceived else { return false }
        return boot - lastReceived < Self.conflictMemory
    }
}
