// SPDX-License-Identifier: Apache-2.0

/// The rules that an engine keeps: all of them, except in the mutants of the simulator.
///
/// To prove that the simulator finds violations, it runs engines that lack one rule, and must catch each of them. Only this
/// package can switch a rule off. A reader of the engine can read each `keeps(…)` as `true`.
public struct Rules: OptionSet, Hashable, Sendable {
    /// One bit for each rule.
    public let rawValue: UInt64

    /// Creates a set from its bits; any are valid.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Every rule.
    public static let all = Rules(rawValue: .max)

    /// Of two registers of one node the larger version wins, not the later arrival.
    package static let versionOrder = Rules(rawValue: 1 << 0)
    /// An older echo of the own register is repaired.
    package static let echoRepair = Rules(rawValue: 1 << 1)
    /// An older presence of this node at the broker is repaired.
    package static let presenceRepair = Rules(rawValue: 1 << 59)
    /// A node objects to two registers of one version.
    package static let forkObjection = Rules(rawValue: 1 << 2)
    /// The own register is on disk before it is published.
    package static let writeFirst = Rules(rawValue: 1 << 3)
    /// An answer to a peer waits until the register that it reports is on disk.
    package static let answerFromDisk = Rules(rawValue: 1 << 4)
    /// An intent that took effect is recorded in the register.
    package static let appliedIDs = Rules(rawValue: 1 << 5)
    /// An intent that was refused stays refused.
    package static let refusalMemory = Rules(rawValue: 1 << 6)
    /// A start is stamped above every stamp seen.
    package static let hybridClock = Rules(rawValue: 1 << 7)
    /// An intent changes only the session that it names.
    package static let sessionFence = Rules(rawValue: 1 << 8)
    /// A jump changes only the phase that it names.
    package static let phaseFence = Rules(rawValue: 1 << 9)
    /// An intent has no effect after its expiry.
    package static let expiry = Rules(rawValue: 1 << 10)
    /// An owner that admits a larger stamp ends its own session at once.
    package static let yield = Rules(rawValue: 1 << 11)
    /// The will of an older connection is ignored.
    package static let oldWills = Rules(rawValue: 1 << 12)
    /// The own register is published only after the broker's copy was compared.
    package static let barrierFirst = Rules(rawValue: 1 << 13)
    /// A register that the journal has lost is adopted from the broker.
    package static let recovery = Rules(rawValue: 1 << 14)
    /// An adopted register begins a new epoch.
    package static let epochOnRecovery = Rules(rawValue: 1 << 15)
    /// After a long absence the next phase waits, also with auto-advance.
    package static let lateness = Rules(rawValue: 1 << 16)
    /// Only the boot clock moves a running time.
    package static let bootClock = Rules(rawValue: 1 << 17)
    /// A stamp far ahead of group time is not admitted.
    package static let admission = Rules(rawValue: 1 << 18)
    /// The high-water mark of the stamps seen is on disk.
    package static let markOnDisk = Rules(rawValue: 1 << 19)
    /// A session whose owner is gone is continued.
    package static let takeover = Rules(rawValue: 1 << 20)
    /// A continuation inherits the applied intents.
    package static let appliedInherited = Rules(rawValue: 1 << 21)
    /// An intent follows its session along the lineage.
    package static let retarget = Rules(rawValue: 1 << 22)
    /// Clocks are compared with the owner's and, where needed, with those of others.
    package static let exchange = Rules(rawValue: 1 << 23)
    /// Group time is chosen from the clocks of all nodes.
    package static let groupTime = Rules(rawValue: 1 << 24)
    /// A session whose stamp group time does not admit gets a new stamp.
    package static let restamp = Rules(rawValue: 1 << 25)
    /// A session that began and ended without contact is not announced.
    package static let provisional = Rules(rawValue: 1 << 26)
    /// The runs of a session end where it was taken over.
    package static let takeoverCut = Rules(rawValue: 1 << 27)
    /// A run that is open when group time is corrected keeps the length that the boot clock measured.
    package static let runLength = Rules(rawValue: 1 << 28)
    /// A session whose date is a guess is moved when group time is vouched for.
    package static let dated = Rules(rawValue: 1 << 32)
    /// Another node's objection raises a version by a bounded step.
    package static let claimBound = Rules(rawValue: 1 << 33)
    /// A register with an epoch above the plausible bound is refused.
    package static let epochBound = Rules(rawValue: 1 << 34)
    /// An answer counts only if its sender was asked, or owns the session that continues.
    package static let answerSender = Rules(rawValue: 1 << 35)
    /// A register shows an effect only if its author was asked, or owns the current session.
    package static let effectSender = Rules(rawValue: 1 << 56)
    /// A register shows an effect only on the lineage that was asked.
    package static let effectLineage = Rules(rawValue: 1 << 57)
    /// An owner accepts a bounded number of intents of one peer per second.
    package static let intentRate = Rules(rawValue: 1 << 36)
    /// An owner repeats its register when an older live one appears.
    package static let reminder = Rules(rawValue: 1 << 37)
    /// A count-up is not credited past its owner's last sign of life.
    package static let lastSignOfLife = Rules(rawValue: 1 << 38)
    /// A takeover does not apply an intent that the session shows as applied.
    package static let appliedAtTakeover = Rules(rawValue: 1 << 39)
    /// A session is moved to a vouched time only once.
    package static let dateFinal = Rules(rawValue: 1 << 40)
    /// A vouched clock of this node is kept although others contradict it.
    package static let ownClock = Rules(rawValue: 1 << 41)
    /// Three or more others that vouch, agree and contradict outvote it.
    package static let outvoting = Rules(rawValue: 1 << 42)
    /// Offline nodes have no vote against a vouched clock.
    package static let onlineVotes = Rules(rawValue: 1 << 43)
    /// The pings of one peer are answered at a bounded rate.
    package static let pongRate = Rules(rawValue: 1 << 44)
    /// The pongs of one peer are used at a bounded rate.
    package static let usedPongRate = Rules(rawValue: 1 << 45)
    /// Objections to the registers of one peer have a bounded rate.
    package static let objectionRate = Rules(rawValue: 1 << 46)
    /// The presences of one peer restart the pings to it at a bounded rate.
    package static let restartRate = Rules(rawValue: 1 << 53)
    /// The mark of others' stamps is written with a reserve, so that rising stamps cause few writes.
    package static let markReserve = Rules(rawValue: 1 << 52)
    /// A pong counts only on the connection that asked.
    package static let pongConnection = Rules(rawValue: 1 << 54)
    /// A pong counts only for a bounded time after its ping, and not before it.
    package static let pongAge = Rules(rawValue: 1 << 55)

    // Rules of Core, which carries messages and ledger records.
    /// An answer that was lost with its connection leaves on the next one.
    package static let answersKept = Rules(rawValue: 1 << 51)
    /// A record is sent only when its journal is on disk.
    package static let recordsHeld = Rules(rawValue: 1 << 29)
    /// A record is on disk before the journal drops its session.
    package static let recordsSecured = Rules(rawValue: 1 << 30)
    /// A node sends records again that the ledger has lost.
    package static let weeksCompared = Rules(rawValue: 1 << 31)

    // Rules of the ledger.
    /// A record replaces only records of its own node.
    package static let recordKey = Rules(rawValue: 1 << 47)
    /// A takeover cuts only sessions of the node that it names.
    package static let cutNode = Rules(rawValue: 1 << 48)
    /// A takeover cuts no session that began after it.
    package static let cutTime = Rules(rawValue: 1 << 58)
    /// A takeover does not cut a session that the ledger knew to be over.
    package static let finalUncut = Rules(rawValue: 1 << 49)
    /// A record with a date before 2026 or in the future does not count.
    package static let recordDates = Rules(rawValue: 1 << 50)
}
