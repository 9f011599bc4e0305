// SPDX-License-Identifier: Apache-2.0

import Session

/// An engine, core or ledger that lacks one rule. The simulator must catch each. A comment `rule:` marks the lines of a
/// rule. `Tests/Mutants/make` builds a simulator that can leave them out. The plain build has no such switch.
package struct Mutant: Hashable, Sendable {
    package var name: String
    /// The name in the marks of the rule that it lacks.
    package var rule: String

    private init(_ name: String, without rule: String) {
        self.name = name
        self.rule = rule
    }

    #if MUTANTS
    /// Whether this build can leave a rule out.
    package static let areBuilt = true

    func run<Value>(_ body: () -> Value) -> Value { Rule.$missing.withValue(Rule(rawValue: rule)) { body() } }

    /// Computes what a check compares with, with every rule.
    static func withEveryRule<Value>(_ body: () -> Value) -> Value { Rule.$missing.withValue(nil) { body() } }
    #else
    package static let areBuilt = false

    func run<Value>(_ body: () -> Value) -> Value {
        preconditionFailure("this build leaves no rule out; Tests/Mutants/make builds one that does")
    }

    static func withEveryRule<Value>(_ body: () -> Value) -> Value { body() }
    #endif

    package static let all = [
        Mutant("the later arrival wins", without: "versionOrder"),
        Mutant("the message that arrives last wins", without: "laterMessage"),
        Mutant("an alarm that a person ended goes on", without: "acknowledged"),
        Mutant("overtime ends by itself", without: "overtime"),
        Mutant("less time than has passed", without: "lessTime"),
        Mutant("no repair of old echoes", without: "echoRepair"),
        Mutant("no repair of old presences", without: "presenceRepair"),
        Mutant("no objection to forks", without: "forkObjection"),
        Mutant("published before it is written", without: "writeFirst"),
        Mutant("answered before it is written", without: "answerFromDisk"),
        Mutant("applied intents not recorded", without: "appliedIDs"),
        Mutant("refusals not remembered", without: "refusalMemory"),
        Mutant("stamps of the wall clock alone", without: "hybridClock"),
        Mutant("a press hits any session", without: "sessionFence"),
        Mutant("a jump hits any phase", without: "phaseFence"),
        Mutant("expired intents take effect", without: "expiry"),
        Mutant("no yield to a later start", without: "yield"),
        Mutant("old wills believed", without: "oldWills"),
        Mutant("published before the barrier", without: "barrierFirst"),
        Mutant("no recovery from the broker", without: "recovery"),
        Mutant("no new epoch after a lost journal", without: "epochOnRecovery"),
        Mutant("lateness ignored", without: "lateness"),
        Mutant("countdown by the wall clock", without: "bootClock"),
        Mutant("every stamp admitted", without: "admission"),
        Mutant("admitted stamps not written", without: "markOnDisk"),
        Mutant("no takeover", without: "takeover"),
        Mutant("applied intents not inherited", without: "appliedInherited"),
        Mutant("minutes count on both sides of a takeover", without: "takeoverCut"),
        Mutant("runs measured by group time", without: "runLength"),
        Mutant("intents not retargeted", without: "retarget"),
        Mutant("session without contact is announced", without: "provisional"),
        Mutant("clocks not compared", without: "exchange"),
        Mutant("group time by the own wall clock", without: "groupTime"),
        Mutant("no new stamp after a clock correction", without: "restamp"),
        Mutant("a date of 1970 stays", without: "dated"),
        Mutant("a date moves again", without: "dateFinal"),
        Mutant("a vouched clock follows the median", without: "ownClock"),
        Mutant("offline nodes still vote", without: "onlineVotes"),
        Mutant("stamps judged by a clock that no kernel vouches for", without: "vouchedAdmission"),
        Mutant("objections raise a version by any step", without: "claimBound"),
        Mutant("answers of nodes that were not asked are believed", without: "answerSender"),
        Mutant("registers of nodes that were not asked show effects", without: "effectSender"),
        Mutant("registers of other lineages show effects", without: "effectLineage"),
        Mutant("no bound for one peer's intents", without: "intentRate"),
        Mutant("no reminder where an older session appears", without: "reminder"),
        Mutant("a session that a message names is not asked for", without: "mention"),
        Mutant("a count-up credited while its owner was gone", without: "lastSignOfLife"),
        Mutant("applied again in a takeover", without: "appliedAtTakeover"),
        Mutant("answers lost with their connection", without: "answersKept"),
        Mutant("records sent before they are written", without: "recordsHeld"),
        Mutant("records forgotten with their session", without: "recordsSecured"),
        Mutant("a restored ledger is not refilled", without: "weeksCompared"),
        Mutant("no bound for a peer's epochs", without: "epochBound"),
        Mutant("no bound for answers to one peer's pings", without: "pongRate"),
        Mutant("no bound for one peer's pongs", without: "usedPongRate"),
        Mutant("no bound for objections to one peer", without: "objectionRate"),
        Mutant("no bound for pings that one peer's presences cause", without: "restartRate"),
        Mutant("no bound for writes that one peer's stamps cause", without: "markReserve"),
        Mutant("a deleted presence keeps its vote", without: "erasedVote"),
        Mutant("nothing is repeated for a node that joins", without: "newcomer"),
        Mutant("applied intents trimmed by age alone", without: "fairTrim"),
        Mutant("expired intents are forwarded", without: "forwardExpiry"),
        Mutant("answers report the revision before", without: "answerRevision"),
        Mutant("answers wait for ever", without: "answerLife"),
        Mutant("pongs of any connection are used", without: "pongConnection"),
        Mutant("pongs of any age are used", without: "pongAge"),
        Mutant("records of any node under one key", without: "recordKey"),
        Mutant("a takeover cuts sessions of any node", without: "cutNode"),
        Mutant("a takeover cuts sessions that began after it", without: "cutTime"),
        Mutant("a takeover cuts what was over", without: "finalUncut"),
        Mutant("records of any date", without: "recordDates"),
    ]

    /// Runs at most `budget` seeds from `first` until one catches the mutant, or the task is cancelled.
    package func hunt(from first: UInt64 = 1, budget: Int) -> Verdict? {
        for seed in first..<(first + UInt64(budget)) where !Task.isCancelled {
            let verdict = Scenario(seed: seed).run(under: self)
            if verdict.violation != nil { return verdict }
        }
        return nil
    }
}
