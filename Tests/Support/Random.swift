// SPDX-License-Identifier: Apache-2.0

/// A small generator of random numbers that gives the same sequence in every run (SplitMix64).
package struct Random: RandomNumberGenerator {
    private var state: UInt64

    /// Starts the sequence of a seed.
    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number of the range, ends included.
    package mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Whether something of this likelihood, in percent, happens.
    package mutating func chance(_ percent: Int) -> Bool { pick(1...100) <= percent }
}
