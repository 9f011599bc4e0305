// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One microphone: A-weighted, with the time weighting F of IEC 61672-1.
struct LevelMeter: Sendable {
    /// The time constant of F, in seconds.
    private static let fast = 0.125
    /// Seconds after the start in which the filter settles, and in which no loudest moment is taken.
    private static let (unheard, unread) = (0.25, 0.5)
    /// What reads as silence, in decibels: below what 24 bits can hold.
    static let floor = -150.0

    private var filter: AWeighting
    private let decay: Double
    private let (begin, readFrom): (Int, Int)
    private var count = 0
    /// The mean of the square, and the largest since ``takeLoudest()``.
    private var (mean, loudest) = (0.0, 0.0)

    init(rate: Double) {
        filter = AWeighting(rate: rate)
        decay = 1 - exp(-1 / (rate * Self.fast))
        (begin, readFrom) = (Int(rate * Self.unheard), Int(rate * Self.unread))
    }

    /// Takes a sample, where 1 is full scale.
    @inline(__always)
    mutating func take(_ sample: Double) {
        let weighted = filter.step(sample)
        count += 1
        guard count > begin else { return }
        // At the start the mean of what there is, until that is longer than the time constant.
        mean += max(decay, 1 / Double(count - begin)) * (weighted * weighted - mean)
        if count > readFrom, mean > loudest { loudest = mean }
    }

    /// The loudest moment since the last call, in decibels of a sine of full scale.
    mutating func takeLoudest() -> Double {
        filter.settle()
        if mean < 1e-30 { mean = 0 }
        defer { loudest = mean }
        return max(10 * log10(2 * loudest), Self.floor)
    }
}
