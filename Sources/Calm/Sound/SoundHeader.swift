// SPDX-License-Identifier: Apache-2.0

/// What stands before the sound of a stream that says itself what it is: WAV, or AU as `pw-record -` writes it.
struct SoundHeader: Hashable {
    /// A header is not longer than this.
    private static let limit = 65_536

    var format: PCMFormat
    /// Where the sound begins.
    var length: Int
    /// Bytes of sound; `nil` where nobody knows.
    var dataBytes: Int?

    /// What the beginning of a stream shows.
    enum Found: Hashable {
        /// It can still be either.
        case undecided
        /// It is sound from the first byte on.
        case none
        case header(SoundHeader)
    }

    static func find(in bytes: [UInt8]) throws(SoundError) -> Found {
        for (magic, read) in [("RIFF", wav), ("RIFX", wav), (".snd", au)] {
            let magic = Array(magic.utf8)
            guard bytes.prefix(4).elementsEqual(magic.prefix(bytes.count)) else { continue }
            guard bytes.count >= 4 else { return .undecided }
            if let header = try read(bytes) { return .header(header) }
            guard bytes.count < limit else { throw SoundError("a header without end") }
            return .undecided
        }
        return .none
    }

    private static func wav(_ bytes: [UInt8]) throws(SoundError) -> SoundHeader? {
        let isBigEndian = bytes[3] == UInt8(ascii: "X")
        func number(_ offset: Int, _ count: Int) -> Int { Self.number(bytes, offset, count, isBigEndian) }
        guard bytes.count >= 12 else { return nil }
        guard bytes[8..<12].elementsEqual("WAVE".utf8) else { throw SoundError("RIFF, and no WAVE") }
        var offset = 12
        var format: PCMFormat?
        while offset + 8 <= bytes.count {
            let (name, size) = (String(decoding: bytes[offset..<offset + 4], as: UTF8.self), number(offset + 4, 4))
            let body = offset + 8
            if name == "data" {
                guard let format else { throw SoundError("WAV without a format") }
                // Whoever writes to a pipe does not know yet, and says nothing or the most that can be said.
                let isKnown = size != 0 && size < 0x7FFF_0000
                return SoundHeader(format: format, length: body, dataBytes: isKnown ? size : nil)
            }
            if name == "fmt " {
                guard size >= 16 else { throw SoundError("WAV with half a format") }
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
        default: throw SoundError("WAV of kind \(tag) with \(bytes) bytes a sample")
        }
    }

    private static func au(_ bytes: [UInt8]) throws(SoundError) -> SoundHeader? {
        guard bytes.count >= 24 else { return nil }
        func number(_ index: Int) -> Int { Self.number(bytes, 4 * index, 4, true) }
        let encodings: [Int: PCMFormat.Encoding] = [2: .s8, 3: .s16, 4: .s24, 5: .s32, 6: .f32, 7: .f64]
        guard let encoding = encodings[number(3)], number(1) >= 24 else { throw SoundError("AU of kind \(number(3))") }
        guard bytes.count >= number(1) else { return nil }
        let format = try PCMFormat(encoding, rate: number(4), channels: number(5), isBigEndian: true).checked()
        return SoundHeader(format: format, length: number(1), dataBytes: nil)
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int, _ isBigEndian: Bool) -> Int {
        (0..<count).reduce(0) { $0 << 8 | Int(bytes[offset + (isBigEndian ? $1 : count - 1 - $1)]) }
    }
}
