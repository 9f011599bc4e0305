// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Calm

/// Generates sound in any format.
enum Tone {
    static func sine(_ hertz: Double, amplitude: Double = 1, rate: Int, seconds: Double = 2) -> [Double] {
        (0..<Int(Double(rate) * seconds)).map { amplitude * sin(2 * .pi * hertz * Double($0) / Double(rate)) }
    }

    static func bytes(_ samples: [Double], _ encoding: PCMFormat.Encoding, isBigEndian: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ value: some FixedWidthInteger, _ count: Int) {
            let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            bytes += isBigEndian ? little.reversed() : little
        }
        for sample in samples {
            let clipped = min(max(sample, -1), 1)
            switch encoding {
            case .u8: append(Int((clipped * 127).rounded()) + 128, 1)
            case .s8: append(Int((clipped * 127).rounded()), 1)
            case .s16: append(Int((clipped * 32_767).rounded()), 2)
            case .s24: append(Int((clipped * 8_388_607).rounded()), 3)
            case .s32: append(Int((clipped * 2_147_483_647).rounded()), 4)
            case .f32: append(Float(sample).bitPattern, 4)
            case .f64: append(sample.bitPattern, 8)
            }
        }
        return bytes
    }

    /// Returns a WAV file; without a known length if it is 0.
    static func wav(
        _ data: [UInt8], tag: Int = 1, bits: Int, rate: Int, channels: Int = 1, size: Int? = nil, extra: [UInt8] = []
    ) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let block = channels * bits / 8
        let format =
            little(tag, 2) + little(channels, 2) + little(rate, 4) + little(rate * block, 4)
            + little(block, 2) + little(bits, 2) + extra
        let size = size ?? data.count
        return Array("RIFF".utf8) + little(size + 36, 4) + Array("WAVEfmt ".utf8) + little(format.count, 4) + format
            + Array("LIST".utf8) + little(3, 4) + [1, 2, 3, 0] + Array("data".utf8) + little(size, 4) + data
    }

    static func au(_ data: [UInt8], encoding: Int, rate: Int, channels: Int = 1) -> [UInt8] {
        func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        return Array(".snd".utf8) + big(28) + big(0xFFFF_FFFF) + big(encoding) + big(rate) + big(channels)
            + [0, 0, 0, 0] + data
    }

    /// Returns the level of each second in decibels, with the bytes in pieces of the given size.
    static func levels(
        _ bytes: [UInt8], _ format: PCMFormat = PCMFormat(.s16, rate: 48_000), pieces: Int = 4_096,
        calibration: Double = 0
    ) throws -> [Double] {
        var meter = try SoundMeter(raw: format, calibration: calibration)
        var levels: [Int] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            levels += try bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { try meter.measure($0) }
        }
        return levels.map { Double($0) / 10 }
    }
}
