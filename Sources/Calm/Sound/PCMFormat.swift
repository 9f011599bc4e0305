// SPDX-License-Identifier: Apache-2.0

/// The format of uncompressed sound: encoding, rate, channels and byte order.
struct PCMFormat: Hashable, Sendable {
    /// The encoding of one sample: unsigned, signed or floating point, with its bits.
    enum Encoding: String, CaseIterable, Sendable {
        case u8, s8, s16, s24, s32, f32, f64

        var bytes: Int {
            switch self {
            case .u8, .s8: 1
            case .s16: 2
            case .s24: 3
            case .s32, .f32: 4
            case .f64: 8
            }
        }
    }

    /// The supported rates, in samples per second.
    static let rates = 8_000...384_000
    static let channelCounts = 1...32

    var encoding: Encoding
    /// Samples per second of each channel, within ``rates``.
    var rate: Int
    /// The number of interleaved channels, within ``channelCounts``.
    var channels: Int
    var isBigEndian: Bool

    /// Creates a format. ``SoundMeter`` rejects one outside of the supported ranges.
    init(_ encoding: Encoding, rate: Int, channels: Int = 1, isBigEndian: Bool = false) {
        self.encoding = encoding
        self.rate = rate
        self.channels = channels
        self.isBigEndian = isBigEndian
    }

    var frameBytes: Int { encoding.bytes * channels }

    func checked() throws(SoundError) -> PCMFormat {
        guard Self.rates.contains(rate) else { throw SoundError("rate of \(rate) Hz, expected 8000 to 384000") }
        guard Self.channelCounts.contains(channels) else { throw SoundError("\(channels) channels, expected 1 to 32") }
        return self
    }

    /// Reads a sample, where 1 is full scale; a float that is not finite reads as 0.
    @inline(__always)
    func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Double {
        switch encoding {
        case .u8: return (Double(bytes[offset]) - 128) / 128
        case .s8: return Double(Int8(bitPattern: bytes[offset])) / 128
        case .s16: return Double(Int16(truncatingIfNeeded: bits(bytes, offset, 2))) / 32_768
        case .s24: return Double(Int32(truncatingIfNeeded: bits(bytes, offset, 3) << 8)) / 2_147_483_648
        case .s32: return Double(Int32(truncatingIfNeeded: bits(bytes, offset, 4))) / 2_147_483_648
        case .f32: return Self.usable(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits(bytes, offset, 4)))))
        case .f64: return Self.usable(Double(bitPattern: bits(bytes, offset, 8)))
        }
    }

    @inline(__always)
    private func bits(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ count: Int) -> UInt64 {
        var bits: UInt64 = 0
        for index in 0..<count {
            bits = bits << 8 | UInt64(bytes[offset + (isBigEndian ? index : count - 1 - index)])
        }
        return bits
    }

    /// Bounds a float, since infinity and NaN would stay in the filter for ever.
    private static func usable(_ sample: Double) -> Double { sample.isFinite ? min(max(sample, -64), 64) : 0 }
}

/// A sound stream that cannot be measured, and the reason.
struct SoundError: Error, Hashable, Sendable, CustomStringConvertible {
    private let reason: String

    init(_ reason: String) { self.reason = reason }

    var description: String { "unsupported sound: \(reason)" }
}
