// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support
import Testing

/// A month in which the service, nodes and the broker are killed while people press.
///
/// `LOCKSTEP_TEST_KILLS` sets the number of kills; `LOCKSTEP_TEST_SEED` repeats a run.
@Suite(.startingBrowsers) struct MonthTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let kills = environment["LOCKSTEP_TEST_KILLS"].flatMap { Int($0) } ?? 16
    private static let seed = environment["LOCKSTEP_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<100_000)
    private static let minute: Int64 = 60_000

    /// The events of a run, for its report.
    private struct Counts {
        var kills: [String: Int] = [:]
        var outcomes: [String: Int] = [:]
    }

    @Test(.waitingForTimers, .requires("a C compiler", SharedClock.compiler != nil))
    func everySessionCountsOnceDespiteKills() async throws {
        var random = Random(seed: Self.seed)
        // In 2030 the clocks of Berlin are set on March 31 and October 27, at one o'clock in universal time.
        let change: Int64 = random.chance(50) ? 1_901_149_200_000 : 1_919_293_200_000
        let start = change - Int64(random.pick(14...18)) * Month.day - Int64(random.pick(0...1_439)) * Self.minute
        // Jumps of very different lengths add up to a month.
        let weights = (0..<Self.kills).map { _ in
            let weight = Int64(random.pick(1...100))
            return weight * weight * weight
        }
        let unit = 31 * Month.day / weights.reduce(0, +) + 1
        try await Month.with(at: start) { month, peer in
            var counts = Counts()
            for weight in weights {
                try await playRound(month, jump: weight * unit, &random, &counts)
            }
            try await settle(month)
            try await compare(month, peer, from: start, counts)
        }
    }

    // MARK: Actions

    /// Kills a program while people press, and advances time meanwhile, before its restart or after it.
    private func playRound(_ month: Month, jump: Int64, _ random: inout Random, _ counts: inout Counts) async throws {
        var presses = (0..<random.pick(3...8)).map { _ in
            (node: random.pick(0...2), request: Request(&random), at: random.pick(0...500))
        }
        // Mostly the first press is a start, so that the others have a session.
        if random.chance(60) { presses[0] = (presses[0].node, .start(&random), 0) }
        let victim = Self.victim(of: month, owner: .node(presses[0].node), &random)
        counts.kills["\(victim)", default: 0] += 1
        let (moment, handle) = (random.pick(0...400), month.markDead(victim))
        let (sleep, sleepMoment, clock) = (random.pick(1...3), random.pick(0...500), month.clock)
        // Each press and kill happens at a time from the seed.
        try await withThrowingTaskGroup(of: String?.self) { group in
            for press in presses {
                let socket = month.nodes[press.node].socket
                group.addTask {
                    try await Task.sleep(for: .milliseconds(press.at))
                    let answer = await socket.requestAside(
                        "POST", press.request.target, body: press.request.body.bytes)
                    return answer?.body.outcome.text ?? "nobody there"
                }
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(moment))
                try await handle.kill()
                return nil
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(sleepMoment))
                if sleep == 1 { clock.jump(by: jump) }
                return nil
            }
            for try await outcome in group {
                if let outcome { counts.outcomes[outcome, default: 0] += 1 }
            }
        }
        month.readJournals()
        if sleep == 2 { clock.jump(by: jump) }
        // Sometimes the next program is killed while this one is still down.
        if month.dead.count > 1 || random.chance(75) { try await month.startDead() }
        if sleep == 3 { clock.jump(by: jump) }
        if month.dead.isEmpty, random.chance(40) { try await month.waitUntilLinked() }
    }

    /// Draws the broker, the service or a node, mostly with equal chances. A node is the owner in half of the draws,
    /// else any living one.
    private static func victim(of month: Month, owner: Month.Part, _ random: inout Random) -> Month.Part {
        let living = Month.Part.all.filter { !month.dead.contains($0) }
        let nodes = living.filter { $0 != .broker && $0 != .service }
        let favourite: Month.Part = [.broker, .service, owner][random.pick(0...2)]
        if favourite != owner || random.chance(50), living.contains(favourite) { return favourite }
        return nodes[random.pick(0...nodes.count - 1)]
    }

    /// One press of a person.
    private struct Request: Sendable {
        var target = "/v1/intents"
        var body: JSON = [:]

        private static let plans = [
            "focus 25m, shortBreak 5m, focus 50m, longBreak 15m", "phase 10m, phase 90m",
            "work 40m, rest 20m, work 40m", "focus 3h", "shortBreak 30m, focus 5h",
        ]

        init(_ random: inout Random) {
            let ops: [JSON] = ["pause", "resume", "resume", "extend", "skip", "startBreak", "startFocus", "stop"]
            switch random.pick(1...100) {
            case ...15: self = .start(&random)
            case ...25: target = "/v1/take"
            default:
                body.op = ops[random.pick(0...7)]
                if body.op == "extend" { body.seconds = .number(Int64(random.pick(1...7_200))) }
            }
        }

        private init() {}

        static func start(_ random: inout Random) -> Request {
            var request = Request()
            request.target = "/v1/start"
            request.body.title = "Reading"
            if random.chance(70) { request.body.label = .string(["Deep", "Email", "Études"][random.pick(0...2)]) }
            switch random.pick(1...3) {
            case 1: request.body.seconds = .number(Int64(random.pick(30...20_000)))
            case 2: request.body.plan = .string(plans[random.pick(0...4)])
            default: request.body.mode = "countup"
            }
            if request.body.mode == .null { request.body.autoAdvance = .bool(random.chance(60)) }
            return request
        }
    }

    /// Waits until all programs run, no session is live, and the ledger has every record.
    private func settle(_ month: Month) async throws {
        let stop: JSON = ["op": "stop"]
        try await month.startDead()
        try await month.waitUntilLinked()
        for node in month.nodes {
            try await eventually("\(node.id)'s session ends; it is \(month.last(of: node))") {
                let last = month.last(of: node)
                if last == .null || Month.isFinal(last) { return true }
                _ = await node.socket.requestAside("POST", "/v1/intents", body: stop.bytes)
                return false
            }
        }
        // The retries of waiting records become due.
        month.clock.jump(by: 20 * Self.minute)
        try await month.waitUntilLinked()
        for node in month.nodes {
            try await eventually("no record of \(node.id) waits") { node.recordsWaiting == 0 }
        }
        month.readJournals()
    }

    // MARK: Expectations

    private func compare(_ month: Month, _ peer: Peer, from start: Int64, _ counts: Counts) async throws {
        let (known, end) = (month.known, month.clock.time)
        print("a month of seed \(Self.seed): killed \(counts.kills), presses \(counts.outcomes)")
        #expect(end - start >= 31 * Month.day)
        var (weeks, sum, at) = (0, Int64(0), start)
        while at <= end {
            let to = try #require(try await month.ledger(at: at, "show").first?.to.int)
            let week = try await month.ledger(at: to - Self.minute, "show").first ?? .null
            let done = try #require(week.done.int)
            if to > end {
                try await peer.waitForDebt("\(done) in the week of the end") { $0.to.int == to && $0.done.int == done }
            }
            (weeks, sum, at) = (weeks + 1, sum + done, to)
        }
        let history = try await month.ledger(at: end, "history", "--since", "2026-01-01")
        let told = Dictionary(history.map { ($0.session.text ?? "", $0) }) { $1 }
        #expect(told.count == history.count, "no duplicate session")
        #expect(history.reduce(0) { $0 + ($1.done.int ?? 0) } == sum, "the history adds up to the weeks")
        #expect(Set(told.keys) == Set(known.keys), "every known session and no other")
        // A session that was taken over, or that a start on its node ended, has other runs in its record.
        let continued = Set(known.values.filter { $0.continues != .null }.compactMap(\.lineage.text))
        let plain = known.filter { ["completed", "stopped"].contains($1.status.text) && !continued.contains($0) }
        for (id, register) in plain where register.continues == .null {
            let ran = register.runs.items.reduce(Int64(0)) { sum, run in
                let kind = register.plan[Int(run[0].int ?? 0)].kind.text ?? ""
                return sum + (kind.hasSuffix("Break") || kind == "rest" ? 0 : (run[2].int ?? 0) - (run[1].int ?? 0))
            }
            #expect(told[id]?.ran.int == ran, "\(register), told as \(told[id] ?? .null)")
        }
        print(
            "a month of seed \(Self.seed): \(known.count) sessions, \(plain.count) of them compared by their runs,",
            "\(sum / Self.minute) minutes in \(weeks) weeks")
    }
}
