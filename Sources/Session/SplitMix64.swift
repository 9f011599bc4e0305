// SPDX-License-Identifier: Apache-2.0

/// A random source that a seed determines: SplitMix64 by Steele, Lea and Flood (2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// Mixes the bits of a number: each bit of the input changes half of the bits of the result.
    package static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension Milliseconds {
    /// Draws a duration from 0 to a longest one.
    package static func random(upTo longest: Milliseconds, using random: inout SplitMix64) -> Milliseconds {
        Milliseconds(Int64.random(in: 0...longest.count, using: &random))
    }
}
