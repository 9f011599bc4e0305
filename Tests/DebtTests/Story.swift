// SPDX-License-Identifier: Apache-2.0

import Ledger
import Session
import Support
import Wire

@testable import Debt

/// Random sessions of a few nodes, as records and corrections that arrive in any order.
struct Story {
    /// The number of instants. All times are instants, except the ends of open runs.
    static let length: Int64 = 300

    enum Arrival {
        case record(LedgerRecord)
        case correction(Correction)
    }

    var arrivals: [Arrival] = []
    var now: GroupTime
    var counting: Counting
    private var random: Random
    private var nextID = 0
    private var counter = 0

    static let nodes = ["desk", "hall", "pi"].map { NodeID($0) ?? { preconditionFailure("a node") }() }
    static let labels: [Label?] = [nil, Label(name: "Deep"), Label(name: "Email")]

    init(seed: Int) {
        random = Random(seed: UInt64(seed))
        now = GroupTime(Int64(random.pick(100...Int(Self.length))))
        counting = Counting(
            kinds: random.chance(80) ? Counting().kinds : Set(PhaseKind.allCases.shuffled(using: &random).prefix(3)),
            labels: random.chance(80) ? nil : ["", "Deep"],
            minimum: Milliseconds(Int64(random.chance(50) ? 0 : random.pick(1...40))))
        for _ in 0..<random.pick(1...6) { addLineage() }
        for index in arrivals.indices.reversed() where random.chance(25) { arrivals.append(arrivals[index]) }
        arrivals.shuffle(using: &random)
    }

    private mutating func token<Kind>() -> Token<Kind> {
        nextID += 1
        // IDs are not in the order of the stamps.
        return Token("\(random.pick(100...999))-\(nextID)") ?? { preconditionFailure("an id") }()
    }

    /// Adds a session, perhaps started offline and stamped late, and its takeovers.
    private mutating func addLineage() {
        let lineage: SessionID = token()
        var start = Int64(random.pick(0...Int(Self.length) - 20))
        var (continuedAt, inherited): (Int64?, [LedgerRecord.Run]) = (nil, [])
        var former: NodeID?
        let label = Self.labels[random.pick(0...2)]
        for generation in 0..<(random.chance(60) ? 1 : random.pick(2...4)) {
            let node = Self.nodes[random.pick(0...2)]
            counter += 1
            let stamp = Stamp(
                time: GroupTime(start + Int64(random.pick(-20...20)).magnitude.asInt64), counter: counter, node: node)
            let runs = inherited + self.runs(from: start)
            let isOpen = runs.last?.to == nil && !runs.isEmpty
            let record = LedgerRecord(
                id: generation == 0 ? lineage : token(), lineage: lineage,
                continuedAt: continuedAt.map { GroupTime($0) },
                continuedFrom: random.chance(80) ? former : nil, node: node, stamp: stamp,
                version: Version(epoch: 1, rev: 100), title: "", label: label, mode: .countdown,
                status: isOpen ? .running : .stopped, startedAt: GroupTime(start),
                endsAt: isOpen ? (runs.last?.from ?? 0) + Milliseconds(Int64(random.pick(1...120))) : nil, runs: runs,
                over: Milliseconds(Int64(counter % 3) * 61_007))
            addVersions(of: record)
            if random.chance(20) { addCorrections(of: record) }
            // A session that was taken over keeps running on its node until the news arrives, or for ever.
            let taken = start + Int64(random.pick(1...60))
            inherited = random.chance(70) ? Self.cut(runs, at: taken) : []
            (continuedAt, start, former) = (taken, taken, node)
        }
    }

    private mutating func runs(from start: Int64) -> [LedgerRecord.Run] {
        var (time, runs): (Int64, [LedgerRecord.Run]) = (start, [])
        for _ in 0..<random.pick(1...4) {
            let end = time + Int64(random.pick(0...50))
            runs.append(
                LedgerRecord.Run(
                    kind: PhaseKind.allCases[random.pick(0...5)], from: GroupTime(time), to: GroupTime(end)))
            time = end + Int64(random.chance(50) ? 0 : random.pick(0...20))
        }
        if random.chance(25) { runs[runs.count - 1].to = nil }
        return runs
    }

    private static func cut(_ runs: [LedgerRecord.Run], at instant: Int64) -> [LedgerRecord.Run] {
        let instant = GroupTime(instant)
        return runs.filter { $0.from < instant }.map {
            LedgerRecord.Run(kind: $0.kind, from: $0.from, to: min($0.to ?? instant, instant))
        }
    }

    /// Adds earlier versions of a record: fewer runs, the last of them open.
    private mutating func addVersions(of record: LedgerRecord) {
        for count in record.runs.indices.dropLast() where random.chance(60) {
            var earlier = record
            earlier.version.rev = count + 1
            earlier.runs = Array(record.runs.prefix(count + 1))
            earlier.runs[count].to = nil
            earlier.status = .running
            earlier.endsAt = earlier.runs[count].from + 60
            arrivals.append(.record(earlier))
        }
        arrivals.append(.record(record))
    }

    private mutating func addCorrections(of record: LedgerRecord) {
        for _ in 0..<random.pick(1...3) {
            let isDeleted = random.chance(40)
            let content = Correction.Content(
                title: "", label: Self.labels[random.pick(0...2)],
                runs: runs(from: Int64(random.pick(0...200))).map {
                    LedgerRecord.Run(kind: $0.kind, from: $0.from, to: $0.to ?? $0.from + 10)
                })
            arrivals.append(
                .correction(
                    Correction(
                        id: token(), key: record.key, at: GroupTime(Int64(random.pick(0...3))),
                        content: isDeleted ? nil : content)))
        }
    }
}

extension LedgerStore {
    /// Files a record, or a correction.
    func take(_ arrival: Story.Arrival, in space: SpaceID, at time: GroupTime = 0) throws {
        switch arrival {
        case .record(let record): _ = try file([Arrival(space: space, digested: DigestedRecord(record), at: time)])
        case .correction(let correction): try correct(correction, in: space)
        }
    }
}

extension UInt64 {
    fileprivate var asInt64: Int64 { Int64(self) }
}
