// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A run of many seeds on several threads.
package struct Campaign: Sendable {
    package var first: UInt64
    /// The number of seeds; `nil` for as many as time allows.
    package var count: Int?
    package var jobs: Int

    package init(first: UInt64 = 1, count: Int?, jobs: Int = 1) {
        self.first = first
        self.count = count
        self.jobs = max(1, jobs)
    }

    /// The counts and the failures of the seeds that have been run.
    package struct Summary: Sendable {
        package var seeds = 0
        package var events = 0
        package var counters = Counters()
        /// The verdicts with a violation, those of the smallest seeds; at most ``kept``.
        package var failures: [Verdict] = []
        package var violations = 0
        package static let kept = 20

        mutating func add(_ verdict: Verdict) {
            seeds += 1
            events += verdict.events
            counters.add(verdict.counters)
            guard verdict.violation != nil else { return }
            violations += 1
            failures = Array((failures + [verdict]).sorted { $0.scenario.seed < $1.scenario.seed }.prefix(Self.kept))
        }
    }

    /// Runs the seeds until all have been run or `isOver` returns `true`.
    package func run(
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

    /// The state that the threads share.
    private final class Board: Sendable {
        let next: Atomic<UInt64>
        let summary = Mutex(Summary())

        init(first: UInt64) { next = Atomic(first) }
    }
}
