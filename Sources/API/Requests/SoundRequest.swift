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

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("level", &level, .decibels, "In decibels, A-weighted.")
        try form.field(
            "period", optional: &period, .whole(1...60),
            "The seconds that the level covers, and the interval between levels; by default 1.")
        try form.field("source", optional: &source, .id(), "The microphone, if the machine has several.")
    }

    package var sound: SoundLevel { SoundLevel(source: source, level: level, period: .seconds(Int64(period ?? 1))) }
}
