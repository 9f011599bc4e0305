// SPDX-License-Identifier: Apache-2.0

/// The rules that an engine keeps: all of them, always, but for the proof of the simulator.
///
/// A simulator that finds nothing proves nothing until it is known what it would find. It runs engines that lack one
/// rule and must catch each of them. Nothing outside this package can switch a rule off.
public struct Rules: OptionSet, Hashable, Sendable {
    /// One bit a rule.
    public let rawValue: UInt64

    /// A set from its bits.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Every rule.
    public static let all = Rules(rawValue: .max)

    /// Of two registers of one node the larger version wins, not the later arrival.
    package static let versionOrder = Rules(rawValue: 1 << 0)
    /// An older echo of the own register is repaired.
    package static let echoRepair = Rules(rawValue: 1 << 1)
    /// Two registers of one version are objected to.
    package static let forkObjection = Rules(rawValue: 1 << 2)
    /// The own register is on disk before it is published.
    package static let writeFirst = Rules(rawValue: 1 << 3)
    /// An answer to a peer waits until the register that it speaks of is on disk.
    package static let answerFromDisk = Rules(rawValue: 1 << 4)
    /// An intent that took effect is recorded in the register.
    package static let appliedIDs = Rules(rawValue: 1 << 5)
    /// An intent that was refused stays refused.
    package static let refusalMemory = Rules(rawValue: 1 << 6)
    /// A start is stamped above every stamp seen.
    package static let hybridClock = Rules(rawValue: 1 << 7)
    /// An intent touches only the session that it names.
    package static let sessionFence = Rules(rawValue: 1 << 8)
    /// A jump touches only the phase that it names.
    package static let phaseFence = Rules(rawValue: 1 << 9)
    /// An intent has no effect after its expiry.
    package static let expiry = Rules(rawValue: 1 << 10)
    /// An owner that admits a larger stamp ends its own session at once.
    package static let yield = Rules(rawValue: 1 << 11)
    /// The will of an older connection says nothing of the present one.
    package static let zombieWills = Rules(rawValue: 1 << 12)
    /// Nothing of the own register is published before the broker's copy was looked at.
    package static let barrierFirst = Rules(rawValue: 1 << 13)
    /// A register found on the broker is taken back when the journal has lost it.
    package static let recovery = Rules(rawValue: 1 << 14)
    /// A register that is taken back begins a new epoch.
    package static let epochOnRecovery = Rules(rawValue: 1 << 15)
    /// What nobody was there for waits, however the plan is set.
    package static let lateness = Rules(rawValue: 1 << 16)
    /// A running time is moved by the boot clock only.
    package static let bootClock = Rules(rawValue: 1 << 17)
    /// A stamp far ahead of group time is not admitted.
    package static let admission = Rules(rawValue: 1 << 18)
    /// The high-water mark of the stamps seen is written down.
    package static let markOnDisk = Rules(rawValue: 1 << 19)
    /// A session whose owner is gone is continued.
    package static let takeover = Rules(rawValue: 1 << 20)
    /// A continuation knows what took effect before it.
    package static let appliedInherited = Rules(rawValue: 1 << 21)
    /// An intent follows its session along the lineage.
    package static let retarget = Rules(rawValue: 1 << 22)
    /// Clocks are compared with the owner's and, where needed, with those of others.
    package static let exchange = Rules(rawValue: 1 << 23)
    /// Group time is not simply the own wall clock.
    package static let groupTime = Rules(rawValue: 1 << 24)
    /// A stamp that group time does not admit is made again.
    package static let stampAnew = Rules(rawValue: 1 << 25)
    /// What began and ended without contact is not announced.
    package static let provisional = Rules(rawValue: 1 << 26)
    /// What was run after a takeover does not count for the session that was taken over.
    package static let takeoverCut = Rules(rawValue: 1 << 27)
    /// A run that is open when group time is corrected keeps the length that the boot clock measured.
    package static let runLength = Rules(rawValue: 1 << 28)
    /// A session whose date is a guess is moved when group time is vouched for.
    package static let dated = Rules(rawValue: 1 << 32)
    /// Another node's objection raises a version by a bounded step.
    package static let claimBound = Rules(rawValue: 1 << 33)
    /// No register counts whose epoch is higher than time allows.
    package static let epochBound = Rules(rawValue: 1 << 34)
    /// An answer counts only if its sender was asked.
    package static let answerSender = Rules(rawValue: 1 << 35)
    /// An owner takes a bounded number of intents of one peer per second.
    package static let intentRate = Rules(rawValue: 1 << 36)
    /// An owner repeats its register when an older live one appears.
    package static let reminder = Rules(rawValue: 1 << 37)
    /// A count-up is not credited past its owner's last sign of life.
    package static let lastSignOfLife = Rules(rawValue: 1 << 38)
    /// A takeover does not apply an intent that the session shows as applied.
    package static let appliedAtTakeover = Rules(rawValue: 1 << 39)
    /// A session is moved to a time that is vouched for once only.
    package static let dateFinal = Rules(rawValue: 1 << 40)
    /// A clock that the own kernel vouches for is kept although others have another time.
    package static let ownClock = Rules(rawValue: 1 << 41)
    /// Three or more others that vouch, agree and contradict outvote it.
    package static let outvoting = Rules(rawValue: 1 << 42)
    /// Nodes that are gone have no voice against a clock that is vouched for.
    package static let presentVoices = Rules(rawValue: 1 << 43)
    /// The pings of one peer are answered at a bounded rate.
    package static let pongRate = Rules(rawValue: 1 << 44)
    /// The pongs of one peer are used at a bounded rate.
    package static let voiceRate = Rules(rawValue: 1 << 45)
    /// The registers of one peer are objected to at a bounded rate.
    package static let objectionRate = Rules(rawValue: 1 << 46)

    // What carries an engine's ledger records keeps these.
    /// A record is told only when the journal that goes with it is on disk.
    package static let recordsHeld = Rules(rawValue: 1 << 29)
    /// A record is on disk before the journal forgets its session.
    package static let recordsSecured = Rules(rawValue: 1 << 30)
    /// A node sends again what the ledger has lost.
    package static let weeksCompared = Rules(rawValue: 1 << 31)

    // The ledger keeps these.
    /// A record replaces only records of its own node.
    package static let recordKey = Rules(rawValue: 1 << 47)
    /// A takeover cuts only what it says that it continues.
    package static let explainedCut = Rules(rawValue: 1 << 48)
    /// A takeover does not cut what the ledger knew to be over.
    package static let finalUncut = Rules(rawValue: 1 << 49)
    /// No record counts of a day that has not come, or of before 2026.
    package static let recordDates = Rules(rawValue: 1 << 50)
}
