// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// When the last of many has arrived.
final class Last: Sendable {
    private let missing: Atomic<Int>
    private let end = Atomic<Int64>(0)

    init(of count: Int) { missing = Atomic(count) }

    func arrived() {
        guard missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        end.store(Samples.now(), ordering: .releasing)
    }

    func time() async throws -> Int64 {
        for _ in 0..<5_000 {
            try await Task.sleep(for: .milliseconds(1))
            let end = end.load(ordering: .acquiring)
            if end != 0 { return end }
        }
        throw BenchError("\(missing.load(ordering: .relaxed)) displays have not seen a change")
    }
}

/// Says yes once.
final class Once: Sendable {
    private let isOver = Atomic(false)

    var first: Bool { !isOver.exchange(true, ordering: .relaxed) }
}
