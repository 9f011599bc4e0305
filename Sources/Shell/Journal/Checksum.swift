// SPDX-License-Identifier: Apache-2.0

/// CRC-32 as gzip, PNG and Ethernet have it (polynomial 0x04C11DB7, reflected), so that any tool can check a record.
enum Checksum {
    /// Row `n` is what a byte leaves behind after `n` further bytes: eight bytes are taken at a time.
    private static let rows: [UInt32] = {
        var rows = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var rest = UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xEDB8_8320 }
            rows[byte] = rest
        }
        for index in 256..<rows.count {
            let before = rows[index - 256]
            rows[index] = before >> 8 ^ rows[Int(before & 0xFF)]
        }
        return rows
    }()

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        rows.withUnsafeBufferPointer { rows in
            bytes.withUnsafeBytes { bytes in
                var rest = UInt32.max
                var offset = 0
                while offset + 8 <= bytes.count {
                    let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) ^ rest
                    let high = UInt32(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
                    rest = 0
                    for byte in 0..<4 {
                        let shift = UInt32(byte * 8)
                        rest ^= rows[(7 - byte) << 8 | Int(low >> shift & 0xFF)]
                        rest ^= rows[(3 - byte) << 8 | Int(high >> shift & 0xFF)]
                    }
                    offset += 8
                }
                for byte in bytes[offset...] { rest = rest >> 8 ^ rows[Int((rest ^ UInt32(byte)) & 0xFF)] }
                return ~rest
            }
        }
    }
}
