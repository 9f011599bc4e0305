// SPDX-License-Identifier: Apache-2.0

/// A sound level measured by one microphone.
package struct Sample: Hashable, Sendable, Codable {
    /// The microphone. Samples of one source follow each other; samples of different sources are mixed.
    package var source: String
    /// When it becomes valid, in milliseconds of the boot clock. It stays valid until the source's next sample, but at
    /// most for twice its ``period``.
    package var from: Int64
    /// The interval between samples of its source, in milliseconds; at least 1.
    package var period: Int64
    /// The level in tenths of a decibel.
    package var level: Int

    package init(source: String, from: Int64, period: Int64, level: Int) {
        self.source = source
        self.from = from
        self.period = period
        self.level = level
    }

    /// When it expires if no other sample follows.
    var end: Int64 { from + 2 * period }
}

/// How the levels of several microphones in one room are combined.
package enum Mixing: String, CaseIterable, Sendable, Codable {
    case loudest
    case quietest
    /// The level of the mean power.
    case average
}

/// The limit between quiet and loud.
package struct Threshold: Hashable, Sendable, Codable {
    /// The lowest level that is loud, in tenths of a decibel.
    package var level: Int
    package var mixing: Mixing

    package init(level: Int, mixing: Mixing = .loudest) {
        self.level = level
        self.mixing = mixing
    }
}
