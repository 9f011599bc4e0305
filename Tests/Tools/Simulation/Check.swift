// SPDX-License-Identifier: Apache-2.0

/// An invariant that is checked after every event or after the world has settled.
package enum Check: String, CaseIterable, Sendable {
    // After every event.
    /// A node publishes only its own register.
    case ownRegisterOnly
    /// A node publishes only what is on its disk.
    case publishFromDisk
    /// A published message is valid and is read back unchanged.
    case payloadReadable
    /// The versions that a node publishes never fall.
    case versionRises
    /// One version never names two registers.
    case versionUnique
    /// A final status does not change.
    case finalIsFinal
    /// An intent takes effect once in a lineage.
    case effectOnce
    /// An intent takes effect only on the lineage and in the phase that it names.
    case effectFenced
    /// An intent takes no effect after its expiry.
    case effectInTime
    /// A refused intent stays refused while the program runs.
    case refusalKept
    /// `applied` is answered only for an effect that is on disk.
    case appliedOnDisk
    /// A request gets one reply.
    case oneReply
    /// A session that began and ended without contact is not announced.
    case notAnnounced
    /// A press follows its session through a takeover and is not refused because of it.
    case pressFollows
    /// A start has a larger stamp than all that its node had admitted, and is shown at once.
    case startIsLargest
    /// No own session lives while a larger one is shown.
    case ownerYields
    /// A display never shows an older register of the same owner.
    case viewNeverBack
    /// Equal registers give equal views.
    case equalRegistersEqualViews
    /// The time on a display never falls without a new revision.
    case timeNeverBack
    /// A time on a display is wrong by at most the error that the display states.
    case errorBound
    /// A stamp far ahead is not shown.
    case admission
    /// An admitted stamp survives a crash.
    case markOnDisk
    /// A phase with overtime ends by a press, or after twelve hours.
    case overtimeHeld
    /// A phase that ended long ago does not start the next one by itself.
    case lateness
    /// The will of an older connection changes nothing.
    case zombieWill
    /// A register that is recovered from the broker begins a new epoch.
    case epochRises
    /// The own register is published only after the broker's copy was read.
    case barrierFirst
    /// A node that has lost its register recovers the broker's copy.
    case takesBack
    /// The engine never asks for a wake in the past.
    case wakeLater
    /// A node whose kernel vouches for its clock uses it.
    case ownClock
    /// A journal is read back as it was written.
    case journalCodec
    /// No peer brings a node's counters near their ends, or its mark too far ahead.
    case counterBounded
    /// A person gets only answers of the node that was asked.
    case answerTrue
    /// An answer whose connection was lost is sent on the next one while its asker can use it.
    case answerLeaves
    /// One peer causes a bounded number of changes, writes and messages per second.
    case peerBounded
    /// A pong counts only on the connection that asked, for ten seconds.
    case pongAsked
    /// A full list of applied intents loses the oldest id of a peer that has the most.
    case trimmedFairly
    /// An old owner forwards no intent that has expired.
    case forwardedInTime
    /// An answer reports the revision in which its intent took effect.
    case revisionTrue
    /// An answer leaves at most thirty seconds after it may.
    case answerInTime
    /// One false clock does not move group time where two honest clocks are vouched for.
    case timeHeld
    /// A peer changes the minutes of another node's session only by a takeover of it.
    case minutesTheirOwn
    /// A count-up is not credited past its owner's last sign of life.
    case lastSignOfLife

    // After settling.
    /// A node whose kernel does not vouch goes by the vouched clocks of online nodes, if it knows any.
    case onlineClocks
    /// A clock has no vote any more once its node's presence was deleted.
    case voteEnds
    /// All nodes show the same session.
    case oneView
    /// All nodes show the same message, and agree on whether an alarm waits for a person. Exempt are worlds in which a
    /// program or a broker died, since only their memory holds both, and worlds without a common time, by which a
    /// message ends.
    case noticesAgree
    /// No node shows an alarm that a person has ended. Exempt are the same worlds, and those whose clocks differ.
    case alarmEnds
    /// At most one session lives, and it has the largest stamp.
    case largestLives
    /// A minute counts once: after a takeover it belongs to the session that continues.
    case minutesOnce
    /// The runs of a session add up to the time that it ran, counted independently.
    case minutesExact
    /// A session's start equals true time once its node has a vouched clock, and never changes after. It may differ by
    /// ``Limits/stampLead`` plus twice ``Clock/syncedBound``, or be that of a wrong vouched clock. Exempt are
    /// - nodes that lost a journal, since they may not know when they dated the session;
    /// - continuations, which keep the dates of the previous owner;
    /// - sessions of a node whose group time the liar's clock could set;
    /// - guesses of an earlier boot, which a reboot makes final;
    /// - sessions that a node had left for another and recovers from the broker: its journal does not say who dated
    ///   them;
    /// - worlds without a vouched clock, or whose vouched clocks contradict each other.
    case dated
    /// Every request has its reply.
    case allAnswered
    /// The state of an engine is on its disk.
    case allWritten
    /// Every node sees all others online.
    case allOnline
    /// The broker keeps no other register of a node than the one that the node published last.
    case brokerKeeps
    /// A press on any node is answered by the owner.
    case pressAnswered
    /// A start on any node is shown by all nodes.
    case startShown
    /// At rest every display knows its owner's time closely.
    case timesAgree
    /// No message is sent because time passes.
    case quiet
    /// Every ledger record was acknowledged.
    case outboxEmpty
    /// The ledger holds each session as it was last on its node's disk, so each minute arrives once.
    case ledgerHolds
    /// The world comes to rest.
    case settles

    /// The planted violation that proves the reporting.
    case canary
}

/// A check that failed, with its details and the time.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package var check: Check
    package var detail: String
    package var at: VirtualTime

    package var description: String { "\(check.rawValue) at \(at.sinceStart) ms: \(detail)" }
}
