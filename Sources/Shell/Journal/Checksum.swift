// SPDX-License-Identifier: Apache-2.0

/// XXH32 with seed 0, which `xxhsum -H32` gives too.
///
/// It needs no table: that of a CRC is fetched from far away at each press, because it is forgotten between two.
enum Checksum {
    private static let primes: (UInt32, UInt32, UInt32, UInt32, UInt32) =
        (2_654_435_761, 2_246_822_519, 3_266_489_917, 668_265_263, 374_761_393)

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var offset = 0
        var sum = primes.4
        if bytes.count >= 16 {
            var lanes = (primes.0 &+ primes.1, primes.1, UInt32(0), 0 &- primes.0)
            while offset + 16 <= bytes.count {
                lanes.0 = mixed(lanes.0, word(bytes, offset))
                lanes.1 = mixed(lanes.1, word(bytes, offset + 4))
                lanes.2 = mixed(lanes.2, word(bytes, offset + 8))
                lanes.3 = mixed(lanes.3, word(bytes, offset + 12))
                offset += 16
            }
            sum = turned(lanes.0, 1) &+ turned(lanes.1, 7) &+ turned(lanes.2, 12) &+ turned(lanes.3, 18)
        }
        sum &+= UInt32(truncatingIfNeeded: bytes.count)
        while offset + 4 <= bytes.count {
            sum = turned(sum &+ word(bytes, offset) &* primes.2, 17) &* primes.3
            offset += 4
        }
        for byte in bytes[offset...] { sum = turned(sum &+ UInt32(byte) &* primes.4, 11) &* primes.0 }
        sum = (sum ^ (sum >> 15)) &* primes.1
        sum = (sum ^ (sum >> 13)) &* primes.2
        return sum ^ (sum >> 16)
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { of($0) } }

    /// CRC-32 as gzip has it, which the first versions wrote: read once, when a newer one starts for the first time.
    static func former(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in
                let half = rest >> 1
                return rest & 1 == 0 ? half : half ^ 0xEDB8_8320
            }
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    private static func mixed(_ lane: UInt32, _ word: UInt32) -> UInt32 {
        turned(lane &+ word &* primes.1, 13) &* primes.0
    }

    private static func turned(_ value: UInt32, _ bits: UInt32) -> UInt32 {
        let high: UInt32 = value &<< bits
        let low: UInt32 = value &>> (32 - bits)
        return high | low
    }
}
