// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Debt
import Session
import Shell

struct Correct: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what a session was: its title, its label, or when it ran.",
        discussion: """
            What its node has recorded stays in the ledger; the latest word of a person holds. Without an option it says \
            that the session is right as it stands.
            """)

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The session, as lockstep history names it.")
    var session: String

    @Option(help: RecordingNode.help)
    var recordedOn: String?

    @Option(help: "What was done.")
    var title: String?

    @Option(help: "What it is booked on; - is the default label.")
    var label: String?

    @Option(help: "When it began, as 2026-11-21T08:30. With --to.")
    var from: String?

    @Option(help: "When it ended. With --from.")
    var to: String?

    func run() throws {
        let settings = try access.with(writes: true) { opened in
            let entry = try opened.find(session, on: recordedOn)
            guard !entry.record.runs.contains(where: { $0.to == nil }) else {
                throw UsageError("the session \(entry.record.id) still runs")
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
                guard let from = from.flatMap({ InstantText.instant($0, zone: zone) }),
                    let to = to.flatMap({ InstantText.instant($0, zone: zone) }), from < to
                else { throw UsageError("--from and --to take times such as 2026-11-21T08:30, in that order") }
                let kind = entry.record.runs.first { opened.history.latest.counting.kinds.contains($0.kind) }?.kind
                content.runs = [LedgerRecord.Run(kind: kind ?? .focus, from: from, to: to)]
            }
            try opened.say(content, of: entry.record.key)
            return opened.settings
        }
        LedgerAccess.tellService(of: settings)
    }
}

struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Takes a session out of all sums.",
        discussion: "What its node has recorded stays in the ledger; lockstep debt correct brings it back.")

    @OptionGroup var access: LedgerAccess

    @Argument(help: "The session, as lockstep history names it.")
    var session: String

    @Option(help: RecordingNode.help)
    var recordedOn: String?

    func run() throws {
        let settings = try access.with(writes: true) { opened in
            try opened.say(nil, of: try opened.find(session, on: recordedOn).record.key)
            return opened.settings
        }
        LedgerAccess.tellService(of: settings)
    }
}

private enum RecordingNode {
    static let help: ArgumentHelp = "The node that has recorded it, where several have recorded one of this id."
}

extension LedgerAccess.Opened {
    /// - Parameter name: The node that recorded the session; needed only where several use one id.
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

    fileprivate func say(_ content: Correction.Content?, of key: LedgerRecord.Key) throws {
        let now = Clocks.now().wall
        // Later than every word before it, whatever the clock says.
        let last = try ledger.corrections(of: key, in: space).last?.at ?? 0
        let at = max(now, last + 1)
        try ledger.correct(
            Correction(id: ULID.make(at: now), key: key, at: at, content: content), in: space)
    }
}
