// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Debt
import Ledger
import Session
import Settings
import Wire

/// `lockstep-bench ledger`: the rate of ledger records, and the time of a week.
struct LedgerBenchCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Measure the ledger of a year of many spaces: records a second, and the time of one week.",
        discussion: """
            Each record has four runs. The ledger is a file in the directory for temporary files. Over MQTT, five nodes \
            send their records to a real lockstep-debt, which has one core, as fast as a real mosquitto takes them.
            """
    )

    @Option(help: "How many spaces.")
    var spaces = 50

    @Option(help: "Records of each of them in the year.")
    var records = 5_000

    @Option(help: "Records that each of five nodes sends over MQTT.")
    var sent = 5_000

    @Option(help: "The URL of an empty database of PostgreSQL for the ledger.")
    var ledger: String?
    @OptionGroup var output: OutputOptions

    private static let year: Milliseconds = .days(365)
    private static let beginning: GroupTime = 1_798_761_600_000
    private static let batch = 1_000

    func validate() throws {
        try require(spaces > 0 && records > 0 && sent > 0, "--spaces, --records and --sent are 1 or more")
    }

    func measure() async throws -> [Figure] {
        let overMQTT = try await LedgerOverMQTT(records: sent, ledger: ledger).measure()
        return try await BenchDirectory.withDirectory(in: BenchDirectory.disk) { directory in
            let ledger = try LedgerStore(at: ledger ?? directory + "/ledger.sqlite")
            let ingest = try fill(ledger)
            let (week, correction) = try ask(ledger)
            try ledger.close()
            return [
                Figure("ledger: records filed, in batches of \(Self.batch)", ingest, "records/s", atLeast: 20_000),
                Figure(
                    "ledger: records acknowledged over MQTT, service on one core", overMQTT.perSecond, "records/s",
                    atLeast: 5_000),
                Figure("ledger: records sent a second time over MQTT", Double(overMQTT.repeated), "records"),
                week.figure("ledger: a week of one space, p50", 0.5, atMost: 5),
                week.figure("ledger: a week of one space, p99", 0.99, atMost: 5),
                week.figure("ledger: a week of one space, slowest", 1),
                correction.figure("ledger: a correction of an old week, p99", 0.99, atMost: 20),
            ]
        }
    }

    private static func space(_ index: Int) -> SpaceID {
        SpaceID("space-\(index)") ?? { preconditionFailure("a word and a number are a space") }()
    }

    private func arrival(_ index: Int, in space: SpaceID, node: NodeID) -> LedgerStore.Arrival {
        let from = Self.beginning + Int64(index) * (Self.year / Int64(records))
        let id = SessionID("\(space)-\(index)") ?? { preconditionFailure("a word and a number are an id") }()
        let record = LedgerRecord(id, number: index, of: node, from: from)
        return LedgerStore.Arrival(space: space, digested: DigestedRecord(record), at: from)
    }

    /// Returns the records per second, without the time to make them.
    private func fill(_ ledger: LedgerStore) throws -> Double {
        guard let node = NodeID("desk") else { return 0 }
        var (count, time) = (0, Int64(0))
        for index in 0..<spaces {
            ProgressLine.show("space \(index + 1) of \(spaces)")
            for start in stride(from: 0, to: records, by: Self.batch) {
                try Task.checkCancellation()
                let arrivals = (start..<min(start + Self.batch, records)).map {
                    arrival($0, in: Self.space(index), node: node)
                }
                let before = Samples.now()
                _ = try ledger.file(arrivals)
                time += Samples.now() - before
                count += arrivals.count
            }
        }
        return Double(count) * 1e9 / Double(time)
    }

    private func ask(_ ledger: LedgerStore) throws -> (week: Samples, correction: Samples) {
        let history = RulesHistory(WeekRules(zone: .utc))
        var (week, correction) = (Samples(), Samples())
        let now = Self.beginning + Self.year
        for index in 0..<200 {
            let space = Self.space(index % spaces)
            var book = WeekBook(space: space, ledger: ledger, history: history)
            let instant = Self.beginning + Int64(index) * Self.year / 200
            let before = Samples.now()
            _ = try book.sums(of: history.week(containing: instant), now: now)
            week.add([Samples.now() - before])
        }
        for index in 0..<100 {
            let (space, number) = (Self.space(index % spaces), index * records / 100)
            guard let session = SessionID("\(space)-\(number)"), let word = CorrectionID("word-\(index)"),
                let node = NodeID("desk")
            else { continue }
            let key = LedgerRecord.Key(node: node, session: session)
            var book = WeekBook(space: space, ledger: ledger, history: history)
            let before = Samples.now()
            try ledger.correct(Correction(id: word, key: key, at: now, content: nil), in: space)
            book.forget()
            let instant = Self.beginning + Int64(number) * (Self.year / Int64(records))
            _ = try book.sums(of: history.week(containing: instant), now: now)
            correction.add([Samples.now() - before])
        }
        return (week, correction)
    }
}

extension LedgerRecord {
    /// Creates a record of four runs from a time on.
    init(_ id: SessionID, number: Int, of node: NodeID, from: GroupTime) {
        let runs = (0..<4).map { run in
            let start = from + Int64(run) * .seconds(420)
            return Run(kind: run == 3 ? .shortBreak : .focus, from: start, to: start + .seconds(400))
        }
        self.init(
            id: id, lineage: id, node: node, stamp: Stamp(time: from, counter: 0, node: node),
            version: Version(epoch: 1, rev: number), title: "Reading", label: Label(name: "Label \(number % 7)"),
            mode: .countdown, status: .completed, startedAt: from, runs: runs)
    }
}
