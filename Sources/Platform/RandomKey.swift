// SPDX-License-Identifier: Apache-2.0

/// Random keys, secrets and ends of names.
package enum RandomKey {
    /// The number of characters, each of 6 random bits: 192 bits in all. All are valid in a link.
    package static let length = 32
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    package static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int(random.next() & 63)] })
    }

    /// Returns up to 13 digits and small letters, which make a name at the broker unique.
    package static func suffix() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }
}
