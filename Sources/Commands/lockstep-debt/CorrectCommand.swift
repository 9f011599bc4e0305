// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Platform
import Runtime
import Session
import Settings

struct CorrectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct", abstract: "Correct the title, the label or the times of a session.",
        discussion: """
            The node's record stays in the ledger; the latest correction applies. Without an option it confirms that the \
            session is right as it is.
            """)

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The session id, as lockstep history prints it.")
    var session: String

    @Option(help: recordingNode)
    var recordedOn: String?

    @Option(help: "The title.")
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
        LedgerAccess.notifyService(of: settings)
    }

    private func runs(of record: LedgerRecord, in opened: LedgerAccess.Opened) throws -> [LedgerRecord.Run] {
        let rules = opened.history.latest
        let begin = record.runs.first?.from ?? record.startedAt
        let from = try Self.time(from, "--from", near: begin.milliseconds, in: rules.zone)
        let to = try Self.time(to, "--to", near: (record.runs.last?.to ?? begin).milliseconds, in: rules.zone)
        guard let runs = RunTimes.corrected(record, from: from, to: to, counting: rules.counting.kinds) else {
            throw UsageError("the session would end before it begins: --from is when it began, --to when it ended")
        }
        for run in runs {
            let end = (run.to ?? run.from).milliseconds
            let problem = RunTimes.problem(
                from: run.from.milliseconds, to: end, now: SystemClock.wallMilliseconds())
            if let problem { throw UsageError("the end \(rules.zone.text(of: end)) is \(problem)") }
        }
        return runs
    }

    /// Reads a time. If the clocks show it twice, returns the instant nearer to `own`, the session's own time.
    private static func time(_ text: String?, _ option: String, near own: Int64, in zone: Zone) throws -> Int64? {
        guard let text else { return nil }
        guard let found = zone.instants(text).min(by: { abs($0 - own) < abs($1 - own) }) else {
            throw UsageError(
                "\(option) takes a time such as 2026-11-21T08:30, 2026-11-21T08:30:15 or 2026-11-21T08:30:15.000+01:00, "
                    + "not “\(text)”")
        }
        guard Limits.time.contains(GroupTime(found)) else { throw UsageError("\(option) is between 1970 and 2200") }
        return found
    }
}

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Remove a session from all sums.",
        discussion: "The node's record stays in the ledger; lockstep debt correct restores the session.")

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The session id, as lockstep history prints it.")
    var session: String

    @Option(help: recordingNode)
    var recordedOn: String?

    func run() throws {
        let settings = try access.withLedger(writes: true) { opened in
            let entry = try opened.find(session, on: recordedOn)
            try opened.correct(entry.record.key, to: nil)
            let line = opened.line(of: entry, titled: entry.record.title)
            print("Removed \(line) from all sums. To restore it: lockstep debt correct \(entry.record.id)")
            return opened.settings
        }
        LedgerAccess.notifyService(of: settings)
    }
}

/// Checks the texts of a session that a person gives to `correct` and `add`.
enum TypedTexts {
    static func title(_ text: String) throws -> String {
        let title = CleanText.trimmed(text)
        guard title.isEmpty || CleanText.accepts(title, bytes: Limits.titleBytes) else {
            throw UsageError("--title takes at most \(Limits.titleBytes) bytes without control characters")
        }
        return title
    }

    /// Returns the label; `nil` for the default label.
    static func label(_ text: String, colour: Colour?) throws -> Label? {
        let label = CleanText.trimmed(text)
        guard CleanText.accepts(label, bytes: Limits.nameBytes) else {
            throw UsageError(
                "--label takes 1 to \(Limits.nameBytes) bytes that are not all blanks, without control characters")
        }
        return label == "-" ? nil : Label(name: label, colour: colour ?? .grey)
    }
}

private let recordingNode: ArgumentHelp =
    "The node that recorded it, if several nodes have recorded a session with this id."

extension LedgerAccess.Opened {
    /// Finds the session with an id, also if it is deleted.
    /// - Parameter name: The node that recorded the session; needed only if several nodes use the id.
    fileprivate func find(_ text: String, on name: String?) throws -> Entry {
        let id = SessionID(text)
        let nodes = try id.map { try ledger.nodes(of: $0, in: space) } ?? []
        let meant = nodes.filter { name == nil || $0.rawValue == name }
        guard meant.count <= 1 else {
            let names = meant.map(\.rawValue).joined(separator: ", ")
            throw UsageError("several nodes have recorded a session \(text): name one with --recorded-on (\(names))")
        }
        guard let id, let node = meant.first,
            let entry = try ledger.entryBeforeDeletion(LedgerRecord.Key(node: node, session: id), of: space)
        else {
            let place = name.map { " of \($0)" } ?? ""
            throw UsageError("there is no session \(text)\(place) in the ledger of \(space)")
        }
        return entry
    }

    /// Names a session for a person: its beginning and its title.
    fileprivate func line(of entry: Entry, titled title: String) -> String {
        let begin = (entry.record.runs.first?.from ?? entry.record.startedAt).milliseconds
        return "\(history.latest.zone.text(of: begin)) \(title.isEmpty ? "–" : title)"
    }

    fileprivate func correct(_ key: LedgerRecord.Key, to content: Correction.Content?) throws {
        let now = SystemClock.wallMilliseconds()
        try ledger.correct(key, to: content, id: ULID.make(at: GroupTime(now)), at: now, in: space)
    }
}
