// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The sound at the end of a phase: two notes that fade out. The pages play the same one (`Web/Shared/alerts.js`).
enum Chime {
    private static let rate = 22_050.0
    private static let seconds = 1.8
    /// The start of each note in seconds, and its frequency in hertz: the fourth from E to A.
    private static let notes = [(start: 0.0, pitch: 659.25), (start: 0.22, pitch: 880.0)]
    /// The time in seconds in which a note becomes loud.
    private static let attack = 0.008
    /// The time in seconds in which a note fades to about a third.
    private static let fade = 0.32
    private static let loudness = 0.35

    /// Returns the sound as a WAV file with one channel of 16-bit samples.
    static func wav() -> [UInt8] {
        let samples = (0..<Int(rate * seconds)).map { index in
            let time = Double(index) / rate
            return notes.map { sample(of: $0.pitch, at: time - $0.start) }.reduce(0, +)
        }
        let bytes = UInt32(2 * samples.count)
        // PCM, one channel; samples and bytes a second; bytes and bits of a sample.
        let format =
            little(UInt16(1)) + little(UInt16(1)) + little(UInt32(rate)) + little(UInt32(2 * rate)) + little(UInt16(2))
            + little(UInt16(16))
        let data = samples.flatMap { little(Int16(max(-1, min(1, $0)) * Double(Int16.max))) }
        return Array("RIFF".utf8) + little(36 + bytes) + Array("WAVEfmt ".utf8) + little(UInt32(format.count)) + format
            + Array("data".utf8) + little(bytes) + data
    }

    private static func sample(of pitch: Double, at time: Double) -> Double {
        guard time > 0 else { return 0 }
        let angle = 2 * Double.pi * pitch * time
        return loudness * min(1, time / attack) * exp(-time / fade) * (sin(angle) + 0.2 * sin(2 * angle)) / 1.2
    }

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
