// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Many seeds, on several threads.
public struct Campaign: Sendable {
    /// The first seed.
    public var first: UInt64
    /// How many seeds at most; `nil` for as many as time allows.
    public var count: Int?
    /// Threads.
    public var jobs: Int

    /// Makes a campaign.
    public init(first: UInt64 = 1, count: Int?, jobs: Int = 1) {
        self.first = first
        self.count = count
        self.jobs = max(1, jobs)
    }

    /// What a campaign came to.
    public struct Summary: Sendable {
        /// Seeds run.
        public var seeds = 0
        /// Events handled.
        public var events = 0
        /// What happened how often.
        public var counters = Counters()
        /// The first verdicts with a violation, at most ``kept``, by seed.
        public var failures: [Verdict] = []
        /// Seeds with a violation.
        public var violations = 0
        /// How many failures are kept.
        public static let kept = 20

        mutating func add(_ verdict: Verdict) {
            seeds += 1
            events += verdict.events
            counters.add(verdict.counters)
            guard verdict.violation != nil else { return }
            violations += 1
            failures = Array((failures + [verdict]).sorted { $0.scenario.seed < $1.scenario.seed }.prefix(Self.kept))
        }
    }

    /// Runs the seeds.
    /// - Parameters:
    ///   - isOver: Asked before each seed: whether to stop.
    ///   - progress: Told of the state from time to time.
    public func run(
        until isOver: @escaping @Sendable () -> Bool = { false },
        progress: @escaping @Sendable (Summary) -> Void = { _ in }
    ) async -> Summary {
        let board = Board(first: first)
        let end = count.map { first + UInt64($0) } ?? .max
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<jobs {
                group.addTask {
                    while !isOver() {
                        let seed = board.next.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard seed < end else { return }
                        let verdict = Scenario(seed: seed).run()
                        let state = board.summary.withLock {
                            $0.add(verdict)
                            return $0
                        }
                        progress(state)
                    }
                }
            }
        }
        return board.summary.withLock { $0 }
    }

    /// What the threads share.
    private final class Board: Sendable {
        let next: Atomic<UInt64>
        let summary = Mutex(Summary())

        init(first: UInt64) { next = Atomic(first) }
    }
}
