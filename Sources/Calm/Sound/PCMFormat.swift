// SPDX-License-Identifier: Apache-2.0

/// How sound stands in bytes.
public struct PCMFormat: Hashable, Sendable {
    /// How a sample stands in bytes.
    public enum Encoding: String, CaseIterable, Sendable {
        case u8, s8, s16, s24, s32, f32, f64

        /// Bytes of a sample.
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

    /// Samples a second that can be measured.
    public static let rates = 8_000...384_000
    /// Channels that are looked at.
    public static let channelsLimit = 1...32

    /// How a sample stands in bytes.
    public var encoding: Encoding
    /// Samples a second, of each channel.
    public var rate: Int
    /// Samples of one instant, one after the other.
    public var channels: Int
    /// Whether the most significant byte comes first.
    public var isBigEndian: Bool

    /// Makes a format.
    public init(_ encoding: Encoding, rate: Int, channels: Int = 1, isBigEndian: Bool = false) {
        self.encoding = encoding
        self.rate = rate
        self.channels = channels
        self.isBigEndian = isBigEndian
    }

    /// Bytes of one instant.
    var frameBytes: Int { encoding.bytes * channels }

    func checked() throws(SoundError) -> PCMFormat {
        guard Self.rates.contains(rate) else { throw SoundError("a rate of \(rate) samples a second") }
        guard Self.channelsLimit.contains(channels) else { throw SoundError("\(channels) channels") }
        return self
    }

    /// A sample, where 1 is full scale; what is no number is silence.
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

    /// Nothing may stay in the filter for ever.
    private static func usable(_ sample: Double) -> Double { sample.isFinite ? min(max(sample, -64), 64) : 0 }
}

/// Why something cannot be listened to.
public struct SoundError: Error, Hashable, Sendable, CustomStringConvertible {
    private let what: String

    init(_ what: String) { self.what = what }

    /// The sentence.
    public var description: String { "this cannot be listened to: \(what)" }
}
