// SPDX-License-Identifier: Apache-2.0

import Session

/// The subject of a random choice. Each has its own stream, so that a fault can be removed without changing others.
enum Concern: UInt64 {
    case mix = 1
    case clocks, schedule, network, broker, probe, ledger, hostility, hoaxes, protocols, cores, shells, effects
    case members, barrages, notices
}

/// A random source that a seed and a concern determine.
struct RandomStream: RandomNumberGenerator {
    private var source: SplitMix64

    init(seed: UInt64, _ concern: Concern) {
        source = SplitMix64(seed: SplitMix64.mix(seed &+ concern.rawValue &* 0xD1B5_4A32_D192_ED03))
    }

    mutating func next() -> UInt64 { source.next() }

    /// Draws a number of the range, ends included.
    mutating func draw(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// Draws a duration of the range, ends included.
    mutating func draw(_ range: ClosedRange<Milliseconds>) -> Milliseconds {
        Milliseconds(draw(Int(range.lowerBound.count)...Int(range.upperBound.count)))
    }

    /// Decides an event with a probability in thousandths. Draws nothing if the probability is 0.
    mutating func chance(_ permille: Int) -> Bool {
        permille > 0 && draw(0...999) < permille
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[draw(0...(elements.count - 1))]
    }
}
