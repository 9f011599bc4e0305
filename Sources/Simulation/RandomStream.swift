// SPDX-License-Identifier: Apache-2.0

/// What a random choice is about. Each concern draws from a stream of its own, so that a fault that is taken out of a
/// trace leaves the other concerns' choices as they were.
enum Concern: UInt64 {
    case mix = 1
    case clocks, schedule, network, broker, probe, ledger, hostility, hoaxes
}

/// A random source that a seed and a concern determine (SplitMix64).
struct RandomStream: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64, _ concern: Concern) {
        state = Mixer.mix(seed &+ concern.rawValue &* 0xD1B5_4A32_D192_ED03)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Mixer.mix(state)
    }

    /// A number of the range, ends included.
    mutating func draw(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// Whether something of this likelihood, in a thousand, happens. Nothing is drawn for what never does.
    mutating func chance(_ permille: Int) -> Bool {
        permille > 0 && draw(0...999) < permille
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[draw(0...(elements.count - 1))]
    }
}

/// The finaliser of SplitMix64: every bit of the input moves half of the output's.
enum Mixer {
    static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
