// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import Platform
import Session
import Shell

struct Correct: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Correct the title, the label or the times of a session.",
        discussion: """
            The node's record stays in the ledger; the latest correction applies. Without an option it confirms that the \
            session is right as it is.
            """)

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The session id, as lockstep history prints it.")
    var session: String

    @Option(help: RecordingNode.help)
    var recordedOn: String?

    @Option(help: "The title.")
    var title: String?

    @Option(help: "The label; - is the default label.")
    var label: String?

    @Option(help: "When it began, as 2026-11-21T08:30. With --to.")
    var from: String?

    @Option(help: "When it ended. With --from.")
    var to: String?

    func run() throws {
        let settings = try access.with(writes: true) { opened in
            let entry = try opened.find(session, on: recordedOn)
            guard !entry.record.runs.contains(where: { $0.to == nil }) else {
                throw UsageError("the session \(entry.record.id) is still running")
            }
            var content = Correction.Content(
                title: entry.record.title, label: entry.record.label, runs: entry.record.runs)
            if let title {
                guard title.isEmpty || CleanText.accepts(title, bytes: Limits.titleBytes) else {
                    throw UsageError("--title takes at most \(Limits.titleBytes) bytes without control characters")
                }
                content.title = title
            }
            if let label {
                guard CleanText.accepts(label, bytes: Limits.nameBytes) else {
                    throw UsageError("--label takes 1 to \(Limits.nameBytes) bytes without control characters")
                }
                content.label = label == "-" ? nil : Label(name: label, colour: entry.record.label?.colour ?? .grey)
            }
            if from != nil || to != nil {
                let zone = opened.history.latest.zone
                guard let from = from.flatMap({ zone.instant($0) }),
                    let to = to.flatMap({ zone.instant($0) }), from < to
                else { throw UsageError("--from and --to take times such as 2026-11-21T08:30, in that order") }
                guard Limits.time.contains(from), Limits.time.contains(to) else {
                    throw UsageError("--from and --to are between 1970 and 2200")
                }
                let kind = entry.record.runs.first { opened.history.latest.counting.kinds.contains($0.kind) }?.kind
                content.runs = [LedgerRecord.Run(kind: kind ?? .focus, from: from, to: to)]
            }
            try opened.correct(entry.record.key, to: content)
            return opened.settings
        }
        LedgerAccess.notifyService(of: settings)
    }
}

struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove a session from all sums.",
        discussion: "The node's record stays in the ledger; lockstep debt correct restores the session.")

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The session id, as lockstep history prints it.")
    var session: String

    @Option(help: RecordingNode.help)
    var recordedOn: String?

    func run() throws {
        let settings = try access.with(writes: true) { opened in
            try opened.correct(try opened.find(session, on: recordedOn).record.key, to: nil)
            return opened.settings
        }
        LedgerAccess.notifyService(of: settings)
    }
}

private enum RecordingNode {
    static let help: ArgumentHelp = "The node that recorded it, if several nodes have recorded a session with this id."
}

extension LedgerAccess.Opened {
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
            let entry = try ledger.entry(
                LedgerRecord.Key(node: node, session: id), of: space, skippingDeletions: true)
        else {
            let place = name.map { " of \($0)" } ?? ""
            throw UsageError("there is no session \(text)\(place) in the ledger of \(space)")
        }
        return entry
    }

    fileprivate func correct(_ key: LedgerRecord.Key, to content: Correction.Content?) throws {
        let now = SystemClock.wallMilliseconds()
        try ledger.correct(key, to: content, id: ULID.make(at: now), at: now, in: space)
    }
}
