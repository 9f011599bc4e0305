// SPDX-License-Identifier: Apache-2.0

/// The 64-bit hash FNV-1a (Fowler, Noll and Vo). It detects accidents, not forgeries.
package enum FNV {
    package static func hash(_ bytes: Span<UInt8>, from start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        var hash = start
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        return hash
    }
}
