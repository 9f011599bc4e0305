// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// A sound level from a program on this machine.
package struct SoundRequest: Hashable, Sendable, Described {
    /// Tenths of a decibel.
    package var level = 0
    package var period: Int?
    package var source: Token<SoundSourceKind>?

    package static let blank = SoundRequest()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("level", &level, .decibels, "In decibels, A-weighted.")
        try coder.field(
            "period", optional: &period, .whole(1...60),
            "The seconds that the level covers, and the interval between levels; by default 1.")
        try coder.field("source", optional: &source, .id(), "The microphone, if the machine has several.")
    }

    package var sound: SoundLevel { SoundLevel(source: source, level: level, period: .seconds(Int64(period ?? 1))) }
}
