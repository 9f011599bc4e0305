// SPDX-License-Identifier: Apache-2.0

/// What must hold, each looked at after every event, or once the world has settled.
public enum Check: String, CaseIterable, Sendable {
    // After every event.
    /// A node publishes only its own register.
    case ownRegisterOnly
    /// What a node publishes is on its disk.
    case publishFromDisk
    /// What a node publishes has no flaw, and is read back as it was meant.
    case payloadReadable
    /// The versions that a node publishes never go back.
    case versionRises
    /// One version never names two registers.
    case versionUnique
    /// A final status stays.
    case finalIsFinal
    /// An intent takes effect once in a lineage.
    case effectOnce
    /// An intent takes effect on the lineage and in the phase that it names.
    case effectFenced
    /// An intent takes no effect after its expiry.
    case effectInTime
    /// A refused intent stays refused, while the program lives.
    case refusalKept
    /// "Applied" is said of what is on disk.
    case appliedOnDisk
    /// A request gets one reply.
    case oneReply
    /// A session that began and ended without contact is not announced.
    case keptToItself
    /// A press follows its session to whoever continues it: it is not refused because of a takeover.
    case pressFollows
    /// A start is larger than every stamp that its author had admitted, and is shown at once.
    case startIsLargest
    /// No own session lives below another one that is shown.
    case ownerYields
    /// On one display the registers of one owner never go back.
    case viewNeverBack
    /// Equal registers give equal views.
    case equalMapsEqualViews
    /// The time on a display never goes back without a new revision.
    case timeNeverBack
    /// A time on a display is wrong by no more than the display says.
    case errorBound
    /// A stamp far ahead is not shown.
    case admission
    /// What was admitted is not forgotten by a crash.
    case markOnDisk
    /// What nobody was there for waits.
    case lateness
    /// A will of an older connection changes nothing.
    case zombieWill
    /// What is taken back from the broker begins a new epoch.
    case epochRises
    /// The own register is published only after what the broker keeps of it was looked at.
    case barrierFirst
    /// What the broker keeps of a node that has lost its register is taken back.
    case takesBack
    /// The engine never asks to be woken at once.
    case wakeLater
    /// A node whose kernel vouches for its clock goes by it, unless three others that are there contradict it.
    case ownClock
    /// A journal is read back as it was written.
    case journalCodec
    /// No peer brings a node's counters near their ends.
    case counterBounded
    /// A person is told only what the node that was asked has answered.
    case answerTrue
    /// One peer causes a bounded number of changes and messages per second.
    case peerBounded
    /// Group time is not moved by one false clock where two honest ones are vouched for.
    case timeHeld
    /// The minutes of a node's session change by what a peer says only where that continues the session.
    case minutesTheirOwn
    /// A count-up is not credited past its owner's last sign of life.
    case lastSignOfLife

    // After settling.
    /// A clock is outvoted by three or more others that vouch, agree, and contradict it.
    case outvoted
    /// Everybody shows the same.
    case oneView
    /// At most one session lives, and it is the one with the largest stamp.
    case largestLives
    /// A minute counts once: what a session ran after it was taken over belongs to the one that goes on.
    case minutesOnce
    /// The runs of a session are as long as the time that it ran, counted a second time.
    case minutesExact
    /// A session has the date of its start, as told by a clock that a kernel vouches for, from the moment at which its
    /// node first has such a clock; and no other date ever after.
    case dated
    /// Every request has its reply.
    case allAnswered
    /// What an engine holds is on its disk.
    case allWritten
    /// Everybody is seen to be there.
    case allOnline
    /// A press on any node is answered by the owner.
    case pressAnswered
    /// A start on any node is shown by all.
    case startShown
    /// At rest every display knows its owner's time closely.
    case timesAgree
    /// Nothing is said while time merely passes.
    case quiet
    /// Every ledger record was acknowledged.
    case outboxEmpty
    /// What the ledger holds of a session is what was last on its node's disk: every minute arrives, and once.
    case ledgerHolds
    /// The world came to rest at all.
    case settles

    /// The planted violation, which proves that violations are reported.
    case canary
}

/// What went wrong, and when.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The check that failed.
    public var check: Check
    /// How.
    public var detail: String
    /// In microseconds of virtual time.
    public var at: Int64

    /// In one line.
    public var description: String { "\(check.rawValue) at \(at / 1_000) ms: \(detail)" }
}
