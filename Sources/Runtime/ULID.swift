// SPDX-License-Identifier: Apache-2.0

package import Session
import Synchronization

/// Creates ids that sort by time: 48 bits of milliseconds and 80 random bits, in Crockford's base 32.
package enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The low 80 bits of the last id. They count up from a random start, so that a press does not wait for random
    /// bytes of the kernel.
    private static let lastLow = Mutex(UInt128.random(in: 0..<1 << 80))

    package static func make<Kind>(at time: GroupTime) -> Token<Kind> {
        let low = lastLow.withLock { low in
            low = (low + 1) & (1 << 80 - 1)
            return low
        }
        let bits = UInt128(clamping: time.milliseconds) << 80 | low
        let characters = (0..<26).map { alphabet[Int(truncatingIfNeeded: bits >> UInt128(125 - 5 * $0)) & 31] }
        guard let token = Token<Kind>(String(decoding: characters, as: UTF8.self)) else {
            preconditionFailure("26 characters of base 32 are a token")
        }
        return token
    }
}
