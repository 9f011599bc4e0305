// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

@testable import Calm

/// Compares the levels of generated tones with the tables of IEC 61672-1:2013.
@Suite(.cpuBound) struct LevelTests {
    /// Third-octave bands: ten times the decimal logarithm of the centre frequency, A, and the limits of class 1.
    private static let bands: [(tenths: Int, weight: Double, below: Double, above: Double)] = [
        (15, -39.4, 1.5, 1.5), (16, -34.6, 1, 1), (17, -30.2, 1, 1), (18, -26.2, 1, 1), (19, -22.5, 1, 1),
        (20, -19.1, 1, 1), (21, -16.1, 1, 1), (22, -13.4, 1, 1), (23, -10.9, 1, 1), (24, -8.6, 1, 1),
        (25, -6.6, 1, 1), (26, -4.8, 1, 1), (27, -3.2, 1, 1), (28, -1.9, 1, 1), (29, -0.8, 1, 1), (30, 0, 0.7, 0.7),
        (31, 0.6, 1, 1), (32, 1.0, 1, 1), (33, 1.2, 1, 1), (34, 1.3, 1, 1), (35, 1.2, 1, 1), (36, 1.0, 1, 1),
        (37, 0.5, 1.5, 1.5), (38, -0.1, 2, 1.5), (39, -1.1, 2.5, 1.5),
    ]

    @Test(arguments: [16_000, 44_100, 48_000], [0.5, 0.003])
    func everyBandIsWithinClassOne(rate: Int, amplitude: Double) throws {
        for band in Self.bands {
            let hertz = pow(10, Double(band.tenths) / 10)
            let tone = Tone.bytes(Tone.sine(hertz, amplitude: amplitude, rate: rate), .f32)
            let level = try #require(try Tone.levels(tone, PCMFormat(.f32, rate: rate)).last)
            let deviation = level - 20 * log10(amplitude) - band.weight
            #expect((-band.below...band.above).contains(deviation), "\(hertz) Hz at \(rate): \(deviation) dB")
        }
    }

    /// A full-scale sine of 1 kHz is 0 dB in every format, except for the rounding of 8 bits.
    @Test(arguments: PCMFormat.Encoding.allCases, [false, true])
    func fullScaleSineIsZeroDecibels(encoding: PCMFormat.Encoding, isBigEndian: Bool) throws {
        let tone = Tone.bytes(Tone.sine(1_000, rate: 48_000), encoding, isBigEndian: isBigEndian)
        let levels = try Tone.levels(tone, PCMFormat(encoding, rate: 48_000, isBigEndian: isBigEndian))
        #expect(levels.count == 2)
        for level in levels { #expect(abs(level) <= 0.1) }
    }

    @Test func halfOfFullScaleIsSixDecibelsLess() throws {
        for encoding in PCMFormat.Encoding.allCases {
            let tone = Tone.bytes(Tone.sine(1_000, amplitude: 0.5, rate: 48_000), encoding)
            let level = try #require(try Tone.levels(tone, PCMFormat(encoding, rate: 48_000)).last)
            #expect(abs(level + 6.0) <= 0.1, "\(encoding)")
        }
    }

    @Test func calibrationIsAddedToTheLevel() throws {
        let tone = Tone.bytes(Tone.sine(1_000, amplitude: 0.1, rate: 16_000), .s16)
        let format = PCMFormat(.s16, rate: 16_000)
        #expect(try Tone.levels(tone, format, calibration: 114).last == 94)
        #expect(try Tone.levels(tone, format, calibration: 500).last == 200)
    }

    @Test func soundAfterSilenceIsMeasured() throws {
        let samples = [Double](repeating: 0, count: 3 * 48_000) + Tone.sine(1_000, rate: 48_000)
        let levels = try Tone.levels(Tone.bytes(samples, .s16))
        #expect(levels.prefix(3) == [-150, -150, -150])
        #expect(levels.suffix(2).allSatisfy { abs($0) <= 0.1 })
    }

    /// A DC offset of the converter is inaudible, also when the recorder starts.
    @Test(arguments: [0.9, -0.25])
    func directCurrentReadsAsSilence(offset: Double) throws {
        let levels = try Tone.levels(
            Tone.bytes([Double](repeating: offset, count: 3 * 48_000), .f32), .init(.f32, rate: 48_000))
        #expect(levels.count == 3)
        for level in levels { #expect(level < -90, "\(levels)") }
        let tone = Tone.sine(1_000, amplitude: 0.01, rate: 48_000).map { $0 + offset }
        let level = try #require(try Tone.levels(Tone.bytes(tone, .f32), .init(.f32, rate: 48_000)).last)
        #expect(abs(level + 40) <= 0.1)
    }

    /// A clipped sine of four times full scale is nearly a square wave: 3 dB above a full-scale sine.
    @Test func clippedSineIsNoLouderThanASquareWave() throws {
        let tone = Tone.bytes(Tone.sine(1_000, amplitude: 4, rate: 48_000), .s16)
        for level in try Tone.levels(tone) { #expect((2...3.5).contains(level), "\(level)") }
        let float = Tone.bytes(Tone.sine(1_000, amplitude: 4, rate: 48_000), .f32)
        for level in try Tone.levels(float, .init(.f32, rate: 48_000)) { #expect(abs(level - 12) <= 0.1) }
    }

    /// One NaN must not silence the microphone for ever.
    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func invalidSampleDoesNotAffectLaterLevels(value: Double) throws {
        var samples = Tone.sine(1_000, amplitude: 0.1, rate: 48_000, seconds: 5)
        samples[60_000] = value
        let levels = try Tone.levels(Tone.bytes(samples, .f64), PCMFormat(.f64, rate: 48_000))
        #expect(abs((levels.last ?? 0) + 20) <= 0.1)
    }

    /// With the weighting F the level falls by 34.7 dB per second: 8.7 dB per time constant.
    @Test func levelFallsAtTheRateOfFastWeighting() throws {
        let samples = Tone.sine(1_000, rate: 48_000, seconds: 2) + [Double](repeating: 0, count: 3 * 48_000)
        let levels = try Tone.levels(Tone.bytes(samples, .s16))
        // The maximum of each second is at its start.
        #expect(abs(levels[3] + 34.7) <= 0.5, "\(levels)")
        #expect(abs(levels[4] + 69.5) <= 0.5, "\(levels)")
    }

    /// A burst of 200 ms reads 1 dB less than a continuous tone (IEC 61672-1, table 4).
    @Test func shortBurstReadsOneDecibelLess() throws {
        let burst = Tone.sine(4_000, rate: 48_000, seconds: 0.2)
        let silence = [Double](repeating: 0, count: 48_000)
        let level = try #require(
            try Tone.levels(Tone.bytes(silence + burst + silence, .f32), .init(.f32, rate: 48_000)).last)
        let tone = try #require(
            try Tone.levels(Tone.bytes(Tone.sine(4_000, rate: 48_000), .f32), .init(.f32, rate: 48_000)).last)
        #expect(abs(level - tone + 1) <= 0.5)
    }

    @Test func theLouderChannelCounts() throws {
        let (left, right) = (
            Tone.sine(1_000, amplitude: 0.001, rate: 48_000), Tone.sine(1_000, amplitude: 0.1, rate: 48_000)
        )
        let both = zip(left, right).flatMap { [$0, $1] }
        let level = try Tone.levels(Tone.bytes(both, .s24), PCMFormat(.s24, rate: 48_000, channels: 2)).last
        #expect(level.map { abs($0 + 20) <= 0.1 } == true)
    }
}
