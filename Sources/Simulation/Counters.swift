// SPDX-License-Identifier: Apache-2.0

/// What must happen sometimes: a simulator in which it never does proves nothing about it.
public enum Sometimes: String, CaseIterable, Sendable {
    /// A session was started while another node's, not yet known here, was live.
    case concurrentStart
    /// A session was superseded.
    case yield
    /// A session was superseded while paused.
    case yieldWhilePaused
    /// An intent was sent again.
    case sentAgain
    /// An intent that had taken effect was answered as a duplicate.
    case duplicateAnswer
    /// An intent was answered in each of these ways.
    case applied, noop, superseded, stalePhase, expired, notAllowed
    /// A person got no answer: the machine slept meanwhile.
    case noAnswer
    /// An older echo was put right.
    case repair
    /// A fork was objected to, or a stamp ahead of time.
    case forkObjection, clockObjection
    /// A session was started without a connection, and won or lost afterwards.
    case offlineStartWon, offlineStartLost
    /// A session was continued by another node; by two at once; although its owner was there.
    case takeover, doubleTakeover, falseSuspicion
    /// An intent followed its session to another owner, or was handed on to it.
    case retargeted
    /// A clock was corrected, and a session stamped anew for that.
    case clockCorrected, stampedAnew
    /// A session began and ended without contact.
    case keptToItself
    /// A session was taken back from the broker.
    case recovered
    /// A program died between writing and publishing.
    case crashBeforePublish
    /// The journal lost its end, or was lost.
    case journalTailLost, journalLost
    /// A write failed.
    case diskFull
    /// An expiry was noticed so late that the next phase waits.
    case lateReady
    /// A will of an older connection was ignored.
    case zombieIgnored
    /// A broker came back without what it had retained, or never hands it out.
    case retainedLost, noWildcardRetained
    /// Two halves of a broker exchanged what they had retained.
    case bridgeSwapped
    /// A packet was lost although the connection held.
    case packetLost
    /// A connection carried nothing, or only one way.
    case halfOpen, oneWay
    /// A machine slept, or was booted again.
    case suspend, reboot
    /// A wall clock was set.
    case wallStep
    /// A person went away before the reply.
    case hangUp
    /// Somebody published what no program should, or an old payload.
    case discarded, replayed
    /// An unknown node claimed a session.
    case ghost
    /// A peer lied, or flooded an owner with intents; the broker lost a register although the connections held.
    case lied, flooded, registerLost
    /// The peer that lies did more than that, answered a ping by its false clock, or forged a ledger record.
    case hoaxed, falseClock, recordForged
    /// A node whose kernel does not vouch for its clock heard fewer than two honest clocks that are vouched for, beside
    /// the false one; a forged record cut a session, as a takeover of it.
    case exposed, cutByForgery
    /// A node lost its register on its disk and on the broker, while others show it.
    case orphan
    /// The debt service was killed; a ledger record was sent again; a ledger got back what it had lost.
    case ledgerKilled, recordSentAgain, ledgerRefilled
    /// The probe after settling was answered by a peer.
    case peerAnswered
}

/// How often each of them happened.
public struct Counters: Hashable, Sendable {
    private var counts = [Int](repeating: 0, count: Sometimes.allCases.count)
    private static let places = Dictionary(
        uniqueKeysWithValues: Sometimes.allCases.enumerated().map { ($1, $0) })

    /// Counters at zero.
    public init() {}

    /// How often this happened.
    public subscript(event: Sometimes) -> Int { Self.places[event].map { counts[$0] } ?? 0 }

    /// Those that never happened.
    public var missing: [Sometimes] { Sometimes.allCases.filter { self[$0] == 0 } }

    mutating func add(_ event: Sometimes) {
        if let place = Self.places[event] { counts[place] += 1 }
    }

    mutating func add(_ other: Counters) {
        for place in counts.indices { counts[place] += other.counts[place] }
    }
}
