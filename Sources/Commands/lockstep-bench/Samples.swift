// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Times in nanoseconds.
struct Samples: Sendable {
    private var values: [Int64] = []

    var count: Int { values.count }

    mutating func add(_ more: [Int64]) { values += more }

    /// The value that a share of all, 0...1, does not exceed, in microseconds.
    func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        return Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1_000
    }

    static func now() -> Int64 { read(CLOCK_MONOTONIC) }

    /// What this thread has run, so that it does not matter who else runs.
    static func processorTime() -> Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
