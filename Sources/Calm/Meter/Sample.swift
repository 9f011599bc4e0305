// SPDX-License-Identifier: Apache-2.0

/// How loud it was at one microphone for a while.
public struct Sample: Hashable, Sendable, Codable {
    /// Where it was heard: samples of one source follow each other, those of two are mixed.
    public var source: String
    /// From when on it holds, in milliseconds of the boot clock: until the next one of its source, and for twice its
    /// ``period`` at most.
    public var from: Int64
    /// How long its source goes on before it says the next one, in milliseconds; at least 1.
    public var period: Int64
    /// The level in tenths of a decibel.
    public var level: Int

    /// Makes a sample.
    public init(source: String, from: Int64, period: Int64, level: Int) {
        self.source = source
        self.from = from
        self.period = period
        self.level = level
    }

    /// Until when it holds where no other one follows.
    var end: Int64 { from + 2 * period }
}

/// What is made of several microphones in one room.
public enum Mixing: String, CaseIterable, Sendable, Codable {
    /// The louder one counts.
    case loudest
    /// The quieter one counts.
    case quietest
    /// The mean of their powers counts.
    case average
}

/// From which level on it is not quiet.
public struct Threshold: Hashable, Sendable, Codable {
    /// Quiet is what is below it, in tenths of a decibel.
    public var level: Int
    /// What is made of several microphones.
    public var mixing: Mixing

    /// Makes a threshold.
    public init(level: Int, mixing: Mixing = .loudest) {
        self.level = level
        self.mixing = mixing
    }
}
