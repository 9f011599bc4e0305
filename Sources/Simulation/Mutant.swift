// SPDX-License-Identifier: Apache-2.0

public import Session

/// An engine, or what carries its ledger records, that lacks one rule. The simulator must find each.
public struct Mutant: Hashable, Sendable {
    /// What it lacks.
    public var name: String
    /// What it keeps.
    public var rules: Rules

    private init(_ name: String, without rule: Rules) {
        self.name = name
        rules = Rules.all.subtracting(rule)
    }

    /// Every mutant.
    public static let all = [
        Mutant("the later arrival wins", without: .versionOrder),
        Mutant("no repair of old echoes", without: .echoRepair),
        Mutant("no objection to forks", without: .forkObjection),
        Mutant("published before it is written", without: .writeFirst),
        Mutant("answered before it is written", without: .answerFromDisk),
        Mutant("applied intents not recorded", without: .appliedIDs),
        Mutant("refusals not remembered", without: .refusalMemory),
        Mutant("stamps of the wall clock alone", without: .hybridClock),
        Mutant("a press hits whatever session there is", without: .sessionFence),
        Mutant("a jump hits whatever phase there is", without: .phaseFence),
        Mutant("expired intents take effect", without: .expiry),
        Mutant("no yield to a later start", without: .yield),
        Mutant("old wills believed", without: .zombieWills),
        Mutant("published before the barrier", without: .barrierFirst),
        Mutant("nothing taken back from the broker", without: .recovery),
        Mutant("no new epoch after a lost journal", without: .epochOnRecovery),
        Mutant("lateness ignored", without: .lateness),
        Mutant("countdown by the wall clock", without: .bootClock),
        Mutant("every stamp admitted", without: .admission),
        Mutant("stamps seen not written down", without: .markOnDisk),
        Mutant("no takeover", without: .takeover),
        Mutant("applied intents not inherited", without: .appliedInherited),
        Mutant("minutes count on both sides of a takeover", without: .takeoverCut),
        Mutant("runs measured by group time", without: .runLength),
        Mutant("intents not retargeted", without: .retarget),
        Mutant("what nobody missed is announced", without: .provisional),
        Mutant("clocks not compared", without: .exchange),
        Mutant("group time by the own wall clock", without: .groupTime),
        Mutant("no new stamp after a correction", without: .stampAnew),
        Mutant("a date of 1970 stays", without: .dated),
        Mutant("a date moves again", without: .dateFinal),
        Mutant("a clock that is vouched for follows the median", without: .ownClock),
        Mutant("three that vouch outvote nobody", without: .outvoting),
        Mutant("who is gone still has a voice", without: .presentVoices),
        Mutant("objections raise a version by any step", without: .claimBound),
        Mutant("answers of anybody believed", without: .answerSender),
        Mutant("no bound for one peer's intents", without: .intentRate),
        Mutant("no reminder where an older session lives", without: .reminder),
        Mutant("a count-up credited while its owner was gone", without: .lastSignOfLife),
        Mutant("applied again in a takeover", without: .appliedAtTakeover),
        Mutant("records told before they are written", without: .recordsHeld),
        Mutant("records forgotten with their session", without: .recordsSecured),
        Mutant("a restored ledger is not filled again", without: .weeksCompared),
        Mutant("no bound for a peer's epochs", without: .epochBound),
        Mutant("no bound for answers to one peer's pings", without: .pongRate),
        Mutant("no bound for one peer's pongs", without: .voiceRate),
        Mutant("no bound for objections to one peer", without: .objectionRate),
        Mutant("records of any node under one key", without: .recordKey),
        Mutant("a takeover cuts what it does not continue", without: .explainedCut),
        Mutant("a takeover cuts what was over", without: .finalUncut),
        Mutant("records of any date", without: .recordDates),
    ]

    /// Runs seeds from `first` until one is caught, or the task is cancelled.
    /// - Returns: The verdict that caught it, or `nil` after `budget` seeds.
    public func hunt(from first: UInt64 = 1, budget: Int) -> Verdict? {
        for seed in first..<(first + UInt64(budget)) where !Task.isCancelled {
            let verdict = Scenario(seed: seed).run(rules: rules)
            if verdict.violation != nil { return verdict }
        }
        return nil
    }
}
