// SPDX-License-Identifier: Apache-2.0

/// The key of a field, packed into two words so that a `switch` over many of them costs next to nothing.
///
/// A key longer than any that the protocol uses is equal to none of those.
struct JSONKey: Equatable, ExpressibleByStringLiteral {
    static let longest = 15
    private var low: UInt64
    private var high: UInt64

    @inline(__always)
    init(stringLiteral name: StaticString) {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { packed in
            packed.copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            packed[Self.longest] = UInt8(truncatingIfNeeded: name.utf8CodeUnitCount)
        }
        (low, high) = words
    }

    /// Packs at most ``longest`` bytes.
    init(_ bytes: Span<UInt8>) {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { packed in
            for index in bytes.indices { packed[index] = bytes[index] }
            packed[Self.longest] = UInt8(truncatingIfNeeded: bytes.count)
        }
        (low, high) = words
    }

    /// Packs any key.
    init(_ name: String) {
        if name.utf8.count <= Self.longest {
            self.init(Array(name.utf8).span)
        } else {
            self.init(stringLiteral: "")
            high = .max
        }
    }
}
