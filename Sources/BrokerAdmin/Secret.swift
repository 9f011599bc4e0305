// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import FoundationEssentials

/// Passwords of the broker's users.
enum Secret {
    /// Returns 24 random letters and digits. `JoinToken` holds no other secret, such as a `RandomKey`.
    static func make() -> String {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return String((0..<24).compactMap { _ in alphabet.randomElement() })
    }

    /// Returns the hash of a password as mosquitto's password file has it: PBKDF2 with SHA-512. The password has 142
    /// random bits, so the number of rounds is that of `mosquitto_passwd`.
    static func hash(
        _ password: String, salt: [UInt8] = (0..<12).map { _ in .random(in: 0...255) }
    ) -> String {
        let rounds: Int32 = 101
        var hash = [UInt8](repeating: 0, count: 64)
        let isMade = PKCS5_PBKDF2_HMAC(
            password, Int32(password.utf8.count), salt, Int32(salt.count), rounds, EVP_sha512(), Int32(hash.count),
            &hash)
        precondition(isMade == 1, "libcrypto has SHA-512")
        return "$7$\(rounds)$\(Data(salt).base64EncodedString())$\(Data(hash).base64EncodedString())"
    }
}
