// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Runtime
import Session
import Settings

/// `lockstep debt correct`: corrects a session of the ledger.
struct CorrectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the title, the label or the times of a session.",
        discussion: """
            The node's record stays in the ledger; the latest correction applies. Without an option it confirms that the \
            session is right as it is.
            """)

    @OptionGroup var access: LedgerAccessOptions

    @Argument(help: "The session id, as lockstep history prints it.")
    var session: String

    @Option(help: recordingNode)
    var recordedOn: String?

    @Option(help: "The title; an empty one removes it.")
    var title: String?

    @Option(help: "The label; - is the default label.")
    var label: String?

    @Option(
        help:
            "When it began: 2026-11-21T08:30, also with seconds, or with the offset that lockstep history --csv prints."
    )
    var from: String?

    @Option(
        help: "When it ended. Without --from the beginning stays. With it the session gets one run without a break.")
    var to: String?

    func run() throws {
        let settings = try access.withLedger(writes: true) { opened in
            let entry = try opened.find(session, on: recordedOn)
            guard !entry.record.runs.contains(where: { $0.to == nil }) else {
                throw UsageError("the session \(entry.record.id) is still running")
            }
            var content = Correction.Content(
                title: entry.record.title, label: entry.record.label, runs: entry.record.runs)
            if let title { content.title = try TypedTexts.title(title) }
            if let label { content.label = try TypedTexts.label(label, colour: entry.record.label?.colour) }
            if from != nil || to != nil { content.runs = try runs(of: entry.record, in: opened) }
            try opened.correct(entry.record.key, to: content)
            print("Corrected \(opened.line(of: entry, titled: content.title)).")
            return opened.settings
        }
        LedgerAccessOptions.notifyService(of: settings)
    }

    private func runs(of record: LedgerRecord, in opened: LedgerAccessOptions.Opened) throws -> [LedgerRecord.Run] {
        let rules = opened.history.latest
        let begin = record.runs.first?.from ?? record.startedAt
        let from = try Self.time(from, "--from", near: begin, in: rules.zone)
        let to = try Self.time(to, "--to", near: record.runs.last?.to ?? begin, in: rules.zone)
        guard let runs = RunTimes.corrected(record, from: from, to: to, counting: rules.counting.kinds) else {
            throw UsageError("the session would end before it begins: --from is when it began, --to when it ended")
        }
        for run in runs {
            let end = run.to ?? run.from
            if let problem = RunTimes.problem(from: run.from, to: end, now: Clocks.now().told) {
                throw UsageError("the end \(rules.zone.text(of: end)) is \(problem)")
            }
        }
        return runs
    }

    /// Reads a time. If the clocks show it twice, returns the instant nearer to `own`, the session's own time.
    private static func time(_ text: String?, _ option: String, near own: GroupTime, in zone: Zone) throws -> GroupTime?
    {
        guard let text else { return nil }
        guard let found = zone.instants(text).min(by: { ($0 - own).magnitude < ($1 - own).magnitude }) else {
            throw UsageError(
                "\(option) takes a time such as 2026-11-21T08:30, 2026-11-21T08:30:15 or 2026-11-21T08:30:15.000+01:00, "
                    + "not “\(text)”")
        }
        guard Limits.time.contains(found) else { throw UsageError("\(option) is between 1970 and 2200") }
        return found
    }
}
