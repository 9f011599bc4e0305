// SPDX-License-Identifier: Apache-2.0

/// What a quiet room sounds like to its microphones, and from where on it is not quiet any more.
public struct Calibration: Hashable, Sendable {
    /// What a sound has to be above a quiet room to disturb, in tenths of a decibel: four times its power.
    private static let margin = 60

    private var levels: [Int] = []

    /// Nothing was heard yet.
    public init() {}

    /// Takes a level of the quiet room, in tenths of a decibel.
    public mutating func take(_ level: Int) { levels.append(level) }

    /// How many were taken.
    public var count: Int { levels.count }

    /// The level that so much of the time is not louder than, 0 to 1; `nil` while nothing was heard.
    public func level(at share: Double) -> Int? {
        guard !levels.isEmpty else { return nil }
        let index = Int((share * Double(levels.count)).rounded(.up)) - 1
        return levels.sorted()[min(max(index, 0), levels.count - 1)]
    }

    /// The threshold, in whole decibels: above what nearly all of the quiet room is. One cough does not count.
    public var threshold: Int? {
        level(at: 0.95).map { Int((Double($0 + Self.margin) / 10).rounded(.up)) }
    }
}
