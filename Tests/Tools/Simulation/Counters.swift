// SPDX-License-Identifier: Apache-2.0

/// Events that must happen sometimes: a simulator that never meets one proves nothing about it.
package enum Sometimes: String, CaseIterable, Sendable {
    /// A session was started while another node's session lived that was not known here yet.
    case concurrentStart
    case yield
    /// A session was superseded while paused.
    case yieldWhilePaused
    case sentAgain
    /// An intent that had taken effect before was answered as a duplicate.
    case duplicateAnswer
    /// An intent had one of these outcomes.
    case applied, noop, superseded, stalePhase, expired, notAllowed
    /// A person got no answer, since the machine slept meanwhile.
    case noAnswer
    case repair
    /// A node objected to a fork, or to a stamp ahead of time.
    case forkObjection, clockObjection
    /// A session was started without a connection, and won or lost afterwards.
    case offlineStartWon, offlineStartLost
    /// A session was taken over; by two nodes at once; although its owner was online.
    case takeover, doubleTakeover, falseSuspicion
    case retargeted
    /// A clock was corrected; a session got a new stamp for that.
    case clockCorrected, restamped
    case notAnnounced
    case recovered
    /// A program died between writing and publishing.
    case crashBeforePublish
    /// The journal lost its end, or was lost.
    case journalTailLost, journalLost
    case diskFull
    /// An expiry was noticed so late that the next phase waits.
    case lateReady
    /// A will of an older connection was ignored.
    case zombieIgnored
    /// A broker restarted without its retained messages, or never sends them to wildcards.
    case retainedLost, noWildcardRetained
    /// Halves that keep retained messages separately were apart, and a message crossed again.
    case metAgain
    /// Two halves of a broker exchanged their retained messages.
    case bridgeSwapped
    /// A packet was lost although the connection held.
    case packetLost
    /// A connection carried nothing, or only one way.
    case halfOpen, oneWay
    case suspend, reboot
    case wallStep
    case hangUp
    /// A client published a malformed message, or an old payload.
    case discarded, replayed
    /// The ghost published a session.
    case ghost
    /// The liar lied, or flooded an owner with intents; the broker lost a register while the connections held.
    case lied, flooded, registerLost
    /// The liar carried out a hoax, answered a ping by its false clock, or forged a ledger record.
    case hoaxed, falseClock, recordForged
    /// The liar lost its membership, or a script pressed many buttons in a row.
    case revoked, barrage
    /// A full list of effects lost one, or halves kept their retained messages separately.
    case trimmed, unshared
    /// A false clock could set a node's group time; a forged record cut a session as its takeover.
    case exposed, cutByForgery
    case orphan
    /// The debt service was killed; a record was sent again; a ledger regained lost records.
    case ledgerKilled, recordSentAgain, ledgerRefilled
    /// A machine announced its sleep; the broker refused a message; a client gave its connection up.
    case announcedSleep, messageRefused, connectionGivenUp
    /// A person ended an alarm, or spoke to all screens; a phase went past its length; time was taken away.
    case alarmEnded, said, overtime, shortened
    /// The probe after settling was answered by a peer.
    case peerAnswered
}

package struct Counters: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: Sometimes.allCases.count)
    private static let places = Dictionary(
        uniqueKeysWithValues: Sometimes.allCases.enumerated().map { ($1, $0) })

    package init() {}

    package subscript(event: Sometimes) -> Int { Self.places[event].map { counts[$0] } ?? 0 }

    package var missing: [Sometimes] { Sometimes.allCases.filter { self[$0] == 0 } }

    mutating func add(_ event: Sometimes) {
        if let place = Self.places[event] { counts[place] += 1 }
    }

    mutating func add(_ other: Counters) {
        for place in counts.indices { counts[place] += other.counts[place] }
    }
}
