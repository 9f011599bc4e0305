// SPDX-License-Identifier: Apache-2.0

/// A threshold for quiet, derived from levels measured in a quiet room.
package struct Calibration: Hashable, Sendable {
    /// The threshold above the level of a quiet room, in tenths of a decibel. 6 dB is four times the power.
    private static let margin = 60

    private var levels: [Int] = []

    package init() {}

    /// Adds a level of the quiet room, in tenths of a decibel.
    package mutating func add(_ level: Int) { levels.append(level) }

    package var count: Int { levels.count }

    /// Returns the quantile of the levels at `share`, 0 to 1, in tenths of a decibel; `nil` without levels.
    package func level(at share: Double) -> Int? {
        guard !levels.isEmpty else { return nil }
        let index = Int((share * Double(levels.count)).rounded(.up)) - 1
        return levels.sorted()[min(max(index, 0), levels.count - 1)]
    }

    /// The suggested threshold in whole decibels, rounded up; `nil` without levels. It is 6 dB above the 95th
    /// percentile, so that one cough does not raise it.
    package var threshold: Int? {
        level(at: 0.95).map { Int((Double($0 + Self.margin) / 10).rounded(.up)) }
    }
}
