// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Support
import Testing
import Wire

@testable import Debt

@Suite("The history as CSV", .cpuBound, .onBothStores)
struct HistoryCSVTests {
    private let directory: TemporaryDirectory
    private let home = SpaceID.home
    private let zone: Zone
    /// Later than all times of the stories.
    private static let end: GroupTime = 4_000_000_000_000

    init() throws {
        directory = try TemporaryDirectory()
        zone = try #require(Zone("Europe/Berlin"))
    }

    private func csv(of ledger: LedgerStore) throws -> [String] {
        let ids = try ledger.entries(of: home, from: .distantPast, to: .distantFuture).map(\.record.key).sorted()
        let calm = try ledger.calm(of: ids.map(\.session), in: home)
        return [HistoryCSV.header]
            + (try ids.flatMap { id in
                HistoryCSV.lines(
                    of: try #require(try ledger.record(id, of: home)),
                    corrections: try ledger.corrections(of: id, in: home),
                    calm: calm[id.session], zone: zone)
            })
    }

    private func ledger(_ name: String, of found: Import) throws -> LedgerStore {
        let ledger = try LedgerStore(at: Store.place(name, in: directory))
        let outcomes = try ledger.file(
            found.records.map { LedgerStore.Arrival(space: home, digested: DigestedRecord($0), at: 0) })
        #expect(outcomes.allSatisfy { $0.filing == .stored })
        for correction in found.corrections { #expect(try ledger.correct(correction, in: home)) }
        for calm in found.calm { try ledger.store(calm, in: home) }
        return ledger
    }

    /// Imports a record of which a column has another value, or is missing.
    private func found(_ record: LedgerRecord, _ name: String, _ value: String?) throws -> Import {
        let column = try #require(HistoryCSV.columns.firstIndex(of: name))
        let rows = ([HistoryCSV.header] + HistoryCSV.lines(of: record, zone: zone)).enumerated().map { line, text in
            var fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if let value { if line > 0 { fields[column] = value } } else { fields.remove(at: column) }
            return fields.joined(separator: ",")
        }
        return try Import(csv: Array(rows.joined(separator: "\n").utf8), now: Self.end)
    }

    /// Covers takeovers, offline starts, running sessions and corrections in several zones, and both orders of rows.
    @Test(arguments: 0..<4)
    func historyRebuildsTheLedger(part: Int) throws {
        for seed in 7_000 + part * 10..<7_010 + part * 10 {
            let story = Story(seed: seed)
            let original = try LedgerStore(at: Store.place("\(seed).sqlite", in: directory))
            for arrival in story.arrivals { try original.take(arrival, in: home) }
            let lines = try csv(of: original)
            let found = try Import(csv: Array(lines.joined(separator: "\n").utf8), now: Self.end)
            #expect(found.problems.isEmpty, "seed \(seed): \(found.problems)")
            let copy = try ledger("\(seed)-copy.sqlite", of: found)
            let (mine, theirs) = (
                try copy.entries(of: home, from: .distantPast, to: .distantFuture),
                try original.entries(of: home, from: .distantPast, to: .distantFuture)
            )
            #expect(Set(mine) == Set(theirs), "seed \(seed)")
            #expect(
                CountedTime(of: mine, counting: story.counting, now: story.now).total
                    == CountedTime(of: theirs, counting: story.counting, now: story.now).total, "seed \(seed)")
            #expect(try csv(of: copy) == lines)
            // The nodes' records are known when they arrive again.
            for entry in theirs {
                let record = try #require(try original.record(entry.record.key, of: home))
                #expect(
                    try copy.filings(of: [LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: 9)])
                        == [
                            .known
                        ]
                )
            }
            try copy.close()
            try original.close()
        }
    }

    @Test func specialTextsSurviveTheRoundTrip() throws {
        let node = NodeID.desk
        let titles = [
            "", "=1+1", "'quoted'", "-5", "a, b; c", "say \"no\"", "@home", "+49", " blank ", "Zeit für 🍅", "--",
            "1970", "a\"\u{301}b",
        ]
        let original = try LedgerStore(at: Store.place("texts", in: directory))
        for (index, title) in titles.enumerated() {
            let id = try #require(SessionID("-s-\(index)"))
            let from = GroupTime(1_800_000_000_000) + Int64(index) * 3_600_123
            let record = LedgerRecord(
                id: id, lineage: id, node: node, stamp: Stamp(time: from, counter: index, node: node),
                version: Version(epoch: 2, rev: index), title: title, icon: "🍅",
                label: title.isEmpty ? nil : Label(name: title, colour: try #require(Colour(hex: "4c8dff80"))),
                mode: .countup, status: .stopped, startedAt: from,
                runs: index == 3
                    ? [] : [LedgerRecord.Run(kind: .work, from: from, to: from + 61_007)],
                isApproximate: index % 2 == 0)
            _ = try original.file([LedgerStore.Arrival(space: home, digested: DigestedRecord(record), at: 0)])
            try original.store(
                CalmFeed(session: id, percent: index, coverage: 100 - index, at: from), in: home)
            let word = Correction(
                id: try #require(Token("w-\(index)")), key: record.key, at: from + 5,
                content: index % 3 == 0 ? nil : Correction.Content(title: title + "!", label: nil, runs: record.runs))
            try original.correct(word, in: home)
        }
        let lines = try csv(of: original)
        let found = try Import(csv: Array(lines.joined(separator: "\r\n").utf8), now: Self.end)
        let copy = try ledger("texts-copy", of: found)
        #expect(try csv(of: copy) == lines)
        #expect(found.problems.isEmpty)
        #expect(lines.allSatisfy { line in !line.split(separator: ",").contains { "=+@".contains($0.first ?? " ") } })
    }

    @Test func sessionWithAMissingRowIsLeftOut() throws {
        let story = (7_000..<7_100).map(Story.init).first { story in
            story.arrivals.contains { if case .record(let record) = $0 { record.runs.count > 2 } else { false } }
        }
        let records = try #require(story).arrivals.compactMap { arrival -> LedgerRecord? in
            if case .record(let record) = arrival { record } else { nil }
        }
        let record = try #require(records.first { $0.runs.count > 2 })
        var lines = [HistoryCSV.header] + HistoryCSV.lines(of: record, zone: zone)
        let column = try #require(HistoryCSV.columns.firstIndex(of: "kind"))
        var fields = lines[2].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        fields[column] = "nap"
        lines[2] = fields.joined(separator: ",")
        let found = try Import(csv: Array(lines.joined(separator: "\n").utf8), now: Self.end)
        #expect(found.records.isEmpty)
        #expect(found.problems.map(\.line) == [3])
        #expect(found.problems.map(\.column) == ["kind"])
    }

    @Test(arguments: ["counter", "epoch", "rev", "calm", "coverage", "over"])
    func aNumberWithASignIsRefused(in name: String) throws {
        let record = try LedgerRecord.sample(minutes: 10)
        #expect(try found(record, name, "5").problems.isEmpty)
        for signed in ["+5", "-0"] {
            #expect(try found(record, name, signed).problems.map(\.column) == [name], "\(signed)")
        }
    }

    @Test func overtimeIsImportedAndMayBeMissingInAnOlderFile() throws {
        let record = try LedgerRecord.sample(minutes: 10) { $0.over = 61_007 }
        #expect(try found(record, "over", "61007").records == [record])
        var older = record
        older.over = 0
        #expect(try found(record, "over", nil).records == [older])
        #expect(try found(record, "over", "").records == [older])
        for wrong in ["a minute", "-1", "3456000001", "9223372036854775808"] {
            let refused = try found(record, "over", wrong)
            #expect(refused.records.isEmpty)
            #expect(refused.problems.map(\.column) == ["over"], "\(wrong): \(refused.problems)")
        }
    }
}
