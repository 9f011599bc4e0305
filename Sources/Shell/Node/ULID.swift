// SPDX-License-Identifier: Apache-2.0

public import Session

/// Ids that sort by the time they were made: 48 bits of milliseconds and 80 random bits, in Crockford's base 32.
public enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// An id of now.
    /// - Parameter wall: Milliseconds since 1970.
    public static func make<Kind>(at wall: Int64) -> Token<Kind> {
        var random = SystemRandomNumberGenerator()
        return make(time: UInt64(clamping: wall), high: random.next(), low: random.next())
    }

    private static func make<Kind>(time: UInt64, high: UInt64, low: UInt64) -> Token<Kind> {
        var characters: [UInt8] = []
        characters.reserveCapacity(26)
        for shift in stride(from: 45, through: 0, by: -5) { characters.append(alphabet[Int(time >> shift & 31)]) }
        for word in [high, low] {
            for shift in stride(from: 35, through: 0, by: -5) { characters.append(alphabet[Int(word >> shift & 31)]) }
        }
        guard let token = Token<Kind>(String(decoding: characters, as: UTF8.self)) else {
            preconditionFailure("26 characters of base 32 are a token")
        }
        return token
    }
}
