// SPDX-License-Identifier: Apache-2.0

/// An event that must happen in some of many worlds: a simulator that never meets it proves nothing about it.
package enum ExpectedEvent: String, CaseIterable, Sendable {
    /// A session was started while another node's session lived that was not known here yet.
    case concurrentStart
    case yield
    /// A session was superseded while paused.
    case yieldWhilePaused
    case sentAgain
    /// An intent that had taken effect before was answered as a duplicate.
    case duplicateAnswer

    // An intent had one of these outcomes.
    case applied, noop, superseded, stalePhase, expired, notAllowed

    /// A person got no answer in time.
    case noAnswer
    case repair
    /// A node objected to two registers of one version.
    case forkObjection
    /// A node objected to a stamp ahead of time.
    case clockObjection
    /// A session that was started without a connection won afterwards.
    case offlineStartWon
    /// A session that was started without a connection lost afterwards.
    case offlineStartLost
    case takeover
    /// Two nodes took one session over.
    case doubleTakeover
    /// A session was taken over although its owner was online.
    case falseSuspicion
    /// An intent was forwarded to the session that continues its own.
    case retargeted
    case clockCorrected
    /// A session got a new stamp, because its node's clock was corrected.
    case restamped
    case notAnnounced
    case recovered
    /// A program died between writing and publishing.
    case crashBeforePublish
    case journalTailLost
    case journalLost
    case diskFull
    /// An expiry was noticed so late that the next phase waits.
    case lateReady
    /// A will of an older connection was ignored.
    case zombieIgnored
    /// A broker restarted without its retained messages.
    case retainedLost
    /// A broker never sends retained messages to wildcards.
    case noWildcardRetained
    /// Halves that keep retained messages separately were apart, and a message crossed again.
    case metAgain
    /// Two halves of a broker exchanged their retained messages.
    case bridgeSwapped
    /// A packet was lost although the connection held.
    case packetLost
    /// A connection carried nothing.
    case halfOpen
    /// A connection carried messages one way only.
    case oneWay
    case suspend, reboot
    case wallStep
    case hangUp
    /// A client published a malformed message.
    case discarded
    /// A client published an old payload.
    case replayed
    /// The ghost published a session.
    case ghost
    case lied
    /// The liar flooded an owner with intents.
    case flooded
    /// The broker lost a register while the connections held.
    case registerLost
    /// The liar carried out a ``Hoax``.
    case hoaxed
    /// The liar answered a ping by its false clock.
    case falseClock
    /// The liar forged a ledger record.
    case recordForged
    /// The liar lost its membership.
    case revoked
    /// A script pressed many buttons in a row.
    case barrage
    /// A full list of effects lost one.
    case trimmed
    /// Halves of a broker kept their retained messages separately.
    case unshared
    /// A false clock could set a node's group time.
    case exposed
    /// A forged record cut a session as its takeover.
    case cutByForgery
    /// An owner lost its register on its disk and at the broker while other nodes still held it.
    case orphan
    case ledgerKilled
    case recordSentAgain
    /// A ledger regained records that it had lost.
    case ledgerRefilled
    /// A machine announced its sleep.
    case announcedSleep
    /// The broker refused a message.
    case messageRefused
    /// A client gave its connection up.
    case connectionGivenUp
    case alarmEnded
    /// A person spoke to all screens.
    case said
    /// A phase went past its length.
    case overtime
    /// Time was taken away from a phase.
    case shortened
    /// The probe after settling was answered by a peer.
    case peerAnswered
}

/// How often each expected event has happened.
package struct Counters: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: ExpectedEvent.allCases.count)
    private static let places = Dictionary(
        uniqueKeysWithValues: ExpectedEvent.allCases.enumerated().map { ($1, $0) })

    package init() {}

    package subscript(event: ExpectedEvent) -> Int { Self.places[event].map { counts[$0] } ?? 0 }

    package var missing: [ExpectedEvent] { ExpectedEvent.allCases.filter { self[$0] == 0 } }

    mutating func add(_ event: ExpectedEvent) {
        if let place = Self.places[event] { counts[place] += 1 }
    }

    mutating func add(_ other: Counters) {
        for place in counts.indices { counts[place] += other.counts[place] }
    }
}
