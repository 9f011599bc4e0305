// SPDX-License-Identifier: Apache-2.0

/// The header of a WAV stream, or of an AU stream as `pw-record -` writes it.
struct SoundHeader: Hashable {
    /// The maximum length of a header, in bytes.
    private static let limit = 65_536

    var format: PCMFormat
    /// The length of the header in bytes, where the sound begins.
    var length: Int
    /// The length of the sound in bytes; `nil` if unknown.
    var dataBytes: Int?

    /// The result of a search for a header in the first bytes of a stream.
    enum Found: Hashable {
        case undecided
        /// The stream is raw sound without a header.
        case none
        case header(SoundHeader)
    }

    static func find(in bytes: [UInt8]) throws(SoundError) -> Found {
        for (magic, read) in [("RIFF", wav), ("RIFX", wav), (".snd", au)] {
            let magic = Array(magic.utf8)
            guard bytes.prefix(4).elementsEqual(magic.prefix(bytes.count)) else { continue }
            guard bytes.count >= 4 else { return .undecided }
            if let header = try read(bytes) { return .header(header) }
            guard bytes.count < limit else { throw SoundError("header longer than 65536 bytes") }
            return .undecided
        }
        return .none
    }

    private static func wav(_ bytes: [UInt8]) throws(SoundError) -> SoundHeader? {
        let isBigEndian = bytes[3] == UInt8(ascii: "X")
        func number(_ offset: Int, _ count: Int) -> Int { Self.number(bytes, offset, count, isBigEndian) }
        guard bytes.count >= 12 else { return nil }
        guard bytes[8..<12].elementsEqual("WAVE".utf8) else { throw SoundError("RIFF file that is not WAVE") }
        var offset = 12
        var format: PCMFormat?
        while offset + 8 <= bytes.count {
            let (name, size) = (String(decoding: bytes[offset..<offset + 4], as: UTF8.self), number(offset + 4, 4))
            let body = offset + 8
            if name == "data" {
                guard let format else { throw SoundError("WAV without a format chunk") }
                // A program that writes to a pipe does not know the size, and writes 0 or the maximum.
                let isKnown = size != 0 && size < 0x7FFF_0000
                return SoundHeader(format: format, length: body, dataBytes: isKnown ? size : nil)
            }
            if name == "fmt " {
                guard size >= 16 else { throw SoundError("WAV with a truncated format chunk") }
                guard body + size <= bytes.count else { return nil }
                let isExtensible = number(body, 2) == 0xFFFE && size >= 26
                let channels = number(body + 2, 2)
                format = try PCMFormat(
                    encoding(
                        tag: number(isExtensible ? body + 24 : body, 2),
                        bytes: channels > 0 ? number(body + 12, 2) / channels : 0),
                    rate: number(body + 4, 4), channels: channels, isBigEndian: isBigEndian
                ).checked()
            }
            offset = body + size + size % 2
        }
        return nil
    }

    private static func encoding(tag: Int, bytes: Int) throws(SoundError) -> PCMFormat.Encoding {
        switch (tag, bytes) {
        case (1, 1): return .u8
        case (1, 2): return .s16
        case (1, 3): return .s24
        case (1, 4): return .s32
        case (3, 4): return .f32
        case (3, 8): return .f64
        default: throw SoundError("WAV encoding \(tag) with \(bytes) bytes per sample")
        }
    }

    private static func au(_ bytes: [UInt8]) throws(SoundError) -> SoundHeader? {
        guard bytes.count >= 24 else { return nil }
        func number(_ index: Int) -> Int { Self.number(bytes, 4 * index, 4, true) }
        let encodings: [Int: PCMFormat.Encoding] = [2: .s8, 3: .s16, 4: .s24, 5: .s32, 6: .f32, 7: .f64]
        guard let encoding = encodings[number(3)], number(1) >= 24 else { throw SoundError("AU encoding \(number(3))") }
        guard bytes.count >= number(1) else { return nil }
        let format = try PCMFormat(encoding, rate: number(4), channels: number(5), isBigEndian: true).checked()
        return SoundHeader(format: format, length: number(1), dataBytes: nil)
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int, _ isBigEndian: Bool) -> Int {
        (0..<count).reduce(0) { $0 << 8 | Int(bytes[offset + (isBigEndian ? $1 : count - 1 - $1)]) }
    }
}
