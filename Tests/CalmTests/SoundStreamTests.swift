// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import Calm

/// Tests streams in pieces of any size, with and without a header.
@Suite(.cpuBound) struct SoundStreamTests {
    private static let tone = Tone.sine(1_000, amplitude: 0.1, rate: 16_000, seconds: 2)
    private static let raw = PCMFormat(.s16, rate: 48_000)

    @Test(arguments: [1, 3, 7, 4_095, 100_000])
    func sizeOfThePiecesDoesNotMatter(pieces: Int) throws {
        let whole = Tone.bytes(Self.tone, .s24)
        let format = PCMFormat(.s24, rate: 16_000)
        #expect(try Tone.levels(whole, format, pieces: pieces) == Tone.levels(whole, format))
        let stereo = Tone.bytes(Self.tone.flatMap { [$0, $0 / 2] }, .s32)
        let file = Tone.wav(stereo, bits: 32, rate: 16_000, channels: 2)
        #expect(try Tone.levels(file, Self.raw, pieces: pieces) == [-20, -20])
    }

    @Test(arguments: [
        (1, 8, PCMFormat.Encoding.u8), (1, 16, .s16), (1, 24, .s24), (1, 32, .s32), (3, 32, .f32), (3, 64, .f64),
    ])
    func wavHeaderSetsTheFormat(tag: Int, bits: Int, encoding: PCMFormat.Encoding) throws {
        let data = Tone.bytes(Self.tone, encoding)
        let subformat: [UInt8] = [UInt8(tag), 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        let extra = [22, 0, UInt8(bits), 0, 4, 0, 0, 0] + subformat
        for file in [
            Tone.wav(data, tag: tag, bits: bits, rate: 16_000),
            // The size as written to a pipe.
            Tone.wav(data, tag: tag, bits: bits, rate: 16_000, size: 0),
            Tone.wav(data, tag: tag, bits: bits, rate: 16_000, size: 0xFFFF_FFFF - 36),
            Tone.wav(data, tag: 0xFFFE, bits: bits, rate: 16_000, extra: extra),
        ] {
            let levels = try Tone.levels(file, Self.raw)
            #expect(levels.count == 2)
            for level in levels { #expect(abs(level + 20) <= 0.2) }
        }
    }

    @Test(arguments: [(2, PCMFormat.Encoding.s8), (3, .s16), (4, .s24), (5, .s32), (6, .f32), (7, .f64)])
    func auHeaderSetsTheFormat(kind: Int, encoding: PCMFormat.Encoding) throws {
        let file = Tone.au(Tone.bytes(Self.tone, encoding, isBigEndian: true), encoding: kind, rate: 16_000)
        let levels = try Tone.levels(file, Self.raw, pieces: 5)
        #expect(levels.count == 2)
        for level in levels { #expect(abs(level + 20) <= 0.2) }
    }

    /// Chunks after the sound of a file are not measured: text would be loud.
    @Test func dataAfterTheSoundIsIgnored() throws {
        let quiet = Tone.bytes([Double](repeating: 0, count: 16_000), .s16)
        let file = Tone.wav(quiet, bits: 16, rate: 16_000) + [UInt8](repeating: 0x5A, count: 64_000)
        #expect(try Tone.levels(file, Self.raw, pieces: 1_000) == [-150])
        #expect(try Tone.levels(file, Self.raw, pieces: 1_000_000) == [-150])
    }

    @Test func soundThatBeginsLikeAHeaderIsMeasured() throws {
        let bytes = Array("RIFT".utf8) + Tone.bytes([Double](repeating: 0, count: 48_000), .s16)
        #expect(try Tone.levels(bytes, Self.raw, pieces: 1).count == 1)
    }

    @Test(arguments: [
        Array("RIFF____AVI ".utf8), Tone.wav([], tag: 2, bits: 16, rate: 16_000),
        Tone.wav([], bits: 16, rate: 4_000), Tone.wav([], bits: 16, rate: 16_000, channels: 0),
        Tone.au([], encoding: 1, rate: 8_000), Array("RIFF____WAVEdata____".utf8),
    ])
    func unsupportedHeaderIsRejected(bytes: [UInt8]) {
        #expect(throws: SoundError.self) { try Tone.levels(bytes, Self.raw) }
    }

    @Test func endlessHeaderIsRejected() {
        let bytes = Array("RIFF____WAVELIST".utf8) + [255, 255, 255, 15] + [UInt8](repeating: 0, count: 70_000)
        #expect(throws: SoundError.self) { try Tone.levels(bytes, Self.raw) }
    }

    @Test func anyBytesGiveLevelsOrAnError() throws {
        var random = Random(seed: 7)
        for round in 0..<300 {
            let head: [[UInt8]] = [[], Array("RIFF____WAVEfmt ".utf8), Array(".snd".utf8), Array("RIFX____WAVE".utf8)]
            let bytes = head[round % 4] + (0..<random.pick(0...4_000)).map { _ in UInt8(random.pick(0...255)) }
            let levels = try? Tone.levels(bytes, PCMFormat(.f64, rate: 8_000), pieces: random.pick(1...500))
            #expect(levels?.allSatisfy { (-200...200).contains($0) } ?? true)
        }
    }
}
