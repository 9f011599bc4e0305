// SPDX-License-Identifier: Apache-2.0

/// The rules that an engine keeps: all of them, except in the mutants of the simulator.
///
/// To prove that the simulator finds violations, it runs engines that lack one rule, and must catch each of them. Only this
/// package can switch a rule off. A reader of the engine can read each `keeps(…)` as `true`.
public struct Rules: Hashable, Sendable {
    /// The rule that is switched off.
    private var missing: Rule?

    /// Every rule.
    public static let all = Rules()

    /// All rules but one.
    package static func without(_ rule: Rule) -> Rules {
        var rules = Rules()
        rules.missing = rule
        return rules
    }

    package func contains(_ rule: Rule) -> Bool { missing != rule }
}

/// A rule that a mutant of the simulator lacks.
package enum Rule: Hashable, CaseIterable, Sendable {
    /// Of two registers of one node the larger version wins, not the later arrival.
    case versionOrder
    /// An older echo of the own register is repaired.
    case echoRepair
    /// An older presence of this node at the broker is repaired.
    case presenceRepair
    /// A node objects to two registers of one version.
    case forkObjection
    /// The own register is on disk before it is published.
    case writeFirst
    /// An answer to a peer waits until the register that it reports is on disk.
    case answerFromDisk
    /// An intent that took effect is recorded in the register.
    case appliedIDs
    /// An intent that was refused stays refused.
    case refusalMemory
    /// A start is stamped above every stamp seen.
    case hybridClock
    /// An intent changes only the session that it names.
    case sessionFence
    /// A jump changes only the phase that it names.
    case phaseFence
    /// An intent has no effect after its expiry.
    case expiry
    /// An owner that admits a larger stamp ends its own session at once.
    case yield
    /// The will of an older connection is ignored.
    case oldWills
    /// The own register is published only after the broker's copy was compared.
    case barrierFirst
    /// A register that the journal has lost is adopted from the broker.
    case recovery
    /// An adopted register begins a new epoch.
    case epochOnRecovery
    /// After a long absence the next phase waits, also with auto-advance.
    case lateness
    /// Only the boot clock moves a running time.
    case bootClock
    /// A stamp far ahead of group time is not admitted.
    case admission
    /// The high-water mark of the stamps seen is on disk.
    case markOnDisk
    /// A session whose owner is gone is continued.
    case takeover
    /// A continuation inherits the applied intents.
    case appliedInherited
    /// An intent follows its session along the lineage.
    case retarget
    /// Clocks are compared with the owner's and, where needed, with those of others.
    case exchange
    /// Group time is chosen from the clocks of all nodes.
    case groupTime
    /// A session whose stamp group time does not admit gets a new stamp.
    case restamp
    /// A session that began and ended without contact is not announced.
    case provisional
    /// The runs of a session end where it was taken over.
    case takeoverCut
    /// A run that is open when group time is corrected keeps the length that the boot clock measured.
    case runLength
    /// A session whose date is a guess is moved when group time is vouched for.
    case dated
    /// Another node's objection raises a version by a bounded step.
    case claimBound
    /// A register with an epoch above the plausible bound is refused.
    case epochBound
    /// An answer counts only if its sender was asked, or owns the session that continues.
    case answerSender
    /// A register shows an effect only if its author was asked, or owns the current session.
    case effectSender
    /// A register shows an effect only on the lineage that was asked.
    case effectLineage
    /// An owner accepts a bounded number of intents of one peer per second.
    case intentRate
    /// An owner repeats its register when an older live one appears.
    case reminder
    /// A count-up is not credited past its owner's last sign of life.
    case lastSignOfLife
    /// A takeover does not apply an intent that the session shows as applied.
    case appliedAtTakeover
    /// A session is moved to a vouched time only once.
    case dateFinal
    /// A vouched clock of this node is kept although others contradict it.
    case ownClock
    /// Three or more others that vouch, agree and contradict outvote it.
    case outvoting
    /// Offline nodes have no vote against a vouched clock.
    case onlineVotes
    /// The pings of one peer are answered at a bounded rate.
    case pongRate
    /// The pongs of one peer are used at a bounded rate.
    case usedPongRate
    /// Objections to the registers of one peer have a bounded rate.
    case objectionRate
    /// The presences of one peer restart the pings to it at a bounded rate.
    case restartRate
    /// The mark of others' stamps is written with a reserve, so that rising stamps cause few writes.
    case markReserve
    /// A clock has no vote any more once the presence of its node was deleted.
    case erasedVote
    /// A node that joins receives what its broker does not keep: registers and presences.
    case newcomer
    /// A full list of applied intents loses the oldest id of the peer that has the most.
    case fairTrim
    /// An old owner forwards no intent that has expired.
    case forwardExpiry
    /// An answer reports the revision in which its intent took effect.
    case answerRevision
    /// A pong counts only on the connection that asked.
    case pongConnection
    /// A pong counts only for a bounded time after its ping, and not before it.
    case pongAge

    // Rules of Core, which carries messages and ledger records.
    /// An answer that waits is sent only while its asker can use it.
    case answerLife
    /// An answer that was lost with its connection leaves on the next one.
    case answersKept
    /// A record is sent only when its journal is on disk.
    case recordsHeld
    /// A record is on disk before the journal drops its session.
    case recordsSecured
    /// A node sends records again that the ledger has lost.
    case weeksCompared

    // Rules of the ledger.
    /// A record replaces only records of its own node.
    case recordKey
    /// A takeover cuts only sessions of the node that it names.
    case cutNode
    /// A takeover cuts no session that began after it.
    case cutTime
    /// A takeover does not cut a session that the ledger knew to be over.
    case finalUncut
    /// A record with a date before 2026 or in the future does not count.
    case recordDates
}
