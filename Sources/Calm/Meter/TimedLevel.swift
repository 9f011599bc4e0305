// SPDX-License-Identifier: Apache-2.0

import Session

/// A sound level measured by one microphone.
struct TimedLevel: Hashable, Sendable, Codable {
    /// The microphone. Samples of one source follow each other; samples of different sources are mixed.
    var source: String
    /// The beginning of the sample. It ends at the source's next sample, or after two ``period``s.
    var from: BootTime
    /// The interval between samples of its source; at least 1 ms.
    var period: Milliseconds
    /// The level in tenths of a decibel.
    var level: Int

    /// When it expires if no other sample follows.
    var end: BootTime { from + 2 * period }
}

/// How the levels of several microphones of a space are combined.
enum Mixing: String, CaseIterable, Sendable, Codable {
    case loudest
    case quietest
    /// The level of the mean power.
    case average
}

/// The limit between quiet and loud.
struct Threshold: Hashable, Sendable, Codable {
    /// The lowest level that is loud, in tenths of a decibel.
    var level: Int
    var mixing = Mixing.loudest
}
