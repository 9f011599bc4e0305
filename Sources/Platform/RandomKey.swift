// SPDX-License-Identifier: Apache-2.0

/// Random keys and secrets.
package enum RandomKey {
    /// The number of characters, each of 6 random bits: 192 bits in all. All are valid in a link.
    package static let length = 32
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    package static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int(random.next() & 63)] })
    }
}
