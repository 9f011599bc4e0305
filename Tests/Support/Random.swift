// SPDX-License-Identifier: Apache-2.0

import Session

/// A small random number generator with the same sequence in every run.
package struct Random: RandomNumberGenerator {
    private var source: SplitMix64

    package init(seed: UInt64) { source = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { source.next() }
    package mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    /// Returns `true` with this probability, in percent.
    package mutating func chance(_ percent: Int) -> Bool { pick(1...100) <= percent }
}
