// SPDX-License-Identifier: Apache-2.0

public import Session
import Synchronization

/// Ids that sort by the time they were made: 48 bits of milliseconds and 80 bits from a random start, in Crockford's base 32.
public enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The 80 bits behind the time of the next id: counted up from a random start, so that a press does not wait for the
    /// kernel's random numbers.
    private static let next = Mutex(UInt128.random(in: 0..<1 << 80))

    /// An id of now.
    /// - Parameter wall: Milliseconds since 1970.
    public static func make<Kind>(at wall: Int64) -> Token<Kind> {
        let low = next.withLock { next in
            next = (next + 1) & (1 << 80 - 1)
            return next
        }
        let bits = UInt128(clamping: wall) << 80 | low
        var characters = InlineArray<26, UInt8>(repeating: 0)
        for index in characters.indices {
            characters[index] = alphabet[Int(truncatingIfNeeded: bits >> UInt128(125 - 5 * index)) & 31]
        }
        guard let token = Token<Kind>(characters.span) else {
            preconditionFailure("26 characters of base 32 are a token")
        }
        return token
    }
}
