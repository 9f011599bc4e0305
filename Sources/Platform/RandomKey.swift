// SPDX-License-Identifier: Apache-2.0

/// Makes random keys and secrets.
package enum RandomKey {
    /// 192 bits as 32 characters that are valid in a link.
    package static let length = 32
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    package static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int(random.next() & 63)] })
    }
}
