// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The level meter of one channel: A-weighted, with the time weighting F of IEC 61672-1.
struct LevelMeter: Sendable {
    /// The time constant of the weighting F, in seconds.
    private static let fast = 0.125
    /// Seconds after the start that are ignored while the filter settles, and in which no maximum is recorded.
    private static let (unheard, unread) = (0.25, 0.5)
    /// The level reported for silence, in decibels: below the range of 24 bits.
    static let floor = -150.0

    private var filter: AWeighting
    private let decay: Double
    private let (begin, readFrom): (Int, Int)
    private var count = 0
    /// The exponential mean of the square, and its maximum since the last ``takeLoudest()``.
    private var (mean, loudest) = (0.0, 0.0)

    init(rate: Double) {
        filter = AWeighting(rate: rate)
        decay = 1 - exp(-1 / (rate * Self.fast))
        (begin, readFrom) = (Int(rate * Self.unheard), Int(rate * Self.unread))
    }

    /// Adds a sample, where 1 is full scale.
    @inline(__always)
    mutating func add(_ sample: Double) {
        let weighted = filter.step(sample)
        count += 1
        guard count > begin else { return }
        // At the start a plain mean, until there is more than one time constant.
        mean += max(decay, 1 / Double(count - begin)) * (weighted * weighted - mean)
        if count > readFrom, mean > loudest { loudest = mean }
    }

    /// Returns the maximum since the last call and resets it, in decibels relative to a full-scale sine.
    mutating func takeLoudest() -> Double {
        filter.flushDenormals()
        if mean < 1e-30 { mean = 0 }
        defer { loudest = mean }
        return max(10 * log10(2 * loudest), Self.floor)
    }
}
