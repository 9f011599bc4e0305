// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Debt
import Ledger
import Runtime
import Session
import Settings
import Wire

/// `lockstep debt add`: adds a session that no node recorded.
struct AddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a session that no node recorded.",
        discussion: """
            Times are those of the ledger's zone. Time that the ledger has already, of another session, counts once. \
            lockstep debt correct and delete change the session later.
            """)

    @OptionGroup var access: LedgerAccessOptions

    @Option(help: "The title.")
    var title: String?

    @Option(help: "The label; - is the default label.")
    var label: String?

    @Option(help: "When it began: 09:00, also with seconds; or without --day 2026-11-21T09:00.")
    var from: String

    @Option(help: "When it ended, in the same form.")
    var to: String

    @Option(help: "The day, as 2026-11-21 (default: today).")
    var day: String?

    @Flag(help: "As JSON.")
    var json = false

    func run() throws {
        let (settings, record, fresh) = try access.withLedger(writes: true) { opened in
            let now = Clocks.now().told
            let record = try makeRecord(in: opened.history.latest, now: now)
            let before = try counted(during: record, in: opened, now: now)
            let arrival = LedgerStore.Arrival(space: opened.space, digested: DigestedRecord(record), at: now)
            _ = try opened.ledger.file([arrival])
            return (opened.settings, record, try counted(during: record, in: opened, now: now) - before)
        }
        LedgerAccessOptions.notifyService(of: settings)
        let (from, to) = (record.runs[0].from, record.runs[0].to ?? record.runs[0].from)
        let added: JSONText = [
            "from": from.milliseconds.json, "label": record.label?.name.json, "node": "\(record.node)".json,
            "session": "\(record.id)".json, "title": record.title.json, "to": to.milliseconds.json,
        ]
        let minutes = ImportReport.counted(Int((to - from).count / 60_000), "minute")
        let isNew = fresh == to - from
        let rest = isNew ? "" : " \(fresh.count / 60_000) of them are new; the others count already, or not at all."
        print(json ? added.text : "Added \(minutes) as session \(record.id).\(rest)")
    }

    /// Returns how much time counts of the sessions that overlap a record.
    private func counted(
        during record: LedgerRecord, in opened: LedgerAccessOptions.Opened, now: GroupTime
    ) throws -> Milliseconds {
        let run = record.runs[0]
        let entries = try opened.ledger.entries(of: opened.space, from: run.from, to: run.to ?? run.from)
        let shares = Shares(of: entries, history: opened.history, now: now)
        return entries.indices.reduce(0) { $0 + shares.done(of: $1) }
    }

    private func makeRecord(in rules: WeekRules, now: GroupTime) throws -> LedgerRecord {
        guard let date = day.map({ CivilDate($0) }) ?? rules.zone.local(now).date else {
            throw UsageError("--day takes a day such as 2026-11-21, not “\(day ?? "")”")
        }
        let begins = try instants(from, "--from", on: date, in: rules.zone)
        // Where the clocks were set back, the end can be the second of two instants.
        guard let from = begins.first,
            let to = try instants(to, "--to", on: date, in: rules.zone).first(where: { $0 > from })
        else {
            throw UsageError("the session would end before it begins: --from is when it began, --to when it ended")
        }
        if let problem = RunTimes.problem(from: from, to: to, now: now) {
            throw UsageError("the end \(rules.zone.text(of: to)) is \(problem)")
        }
        guard let node = NodeID("added-by-hand") else { preconditionFailure("added-by-hand is the id of a node") }
        let kind = PhaseKind.allCases.first(where: rules.counting.kinds.contains) ?? .focus
        return LedgerRecord(
            added: ULID.make(at: now), on: node, title: try TypedTexts.title(title ?? ""),
            label: try TypedTexts.label(label ?? "-", colour: nil), kind: kind, from: from, to: to)
    }

    private func instants(_ text: String, _ option: String, on date: CivilDate, in zone: Zone) throws -> [GroupTime] {
        let found =
            LocalTime.timeOfDay(text).map { zone.instants(of: date, time: $0) }
            ?? (day == nil ? zone.instants(text) : [])
        guard !found.isEmpty else {
            throw UsageError(
                "\(option) takes a time such as 09:00, or without --day 2026-11-21T09:00, not “\(text)”")
        }
        guard found.allSatisfy(Limits.time.contains) else {
            throw UsageError("\(option) is between 1970 and 2200")
        }
        return found
    }
}
