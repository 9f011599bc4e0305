// SPDX-License-Identifier: Apache-2.0

import Session

/// The colours of the faces, besides the label's.
enum Shade {
    static let black = Colour(red: 0, green: 0, blue: 0)
    static let white = Colour(red: 0xFF, green: 0xFF, blue: 0xFF)
    static let state = Colour(red: 0xCC, green: 0xCC, blue: 0xCC)
    static let quiet = Colour(red: 0x8A, green: 0x8A, blue: 0x8A)
    static let frozen = Colour(red: 0x76, green: 0x76, blue: 0x76)
    static let track = Colour(red: 0x4A, green: 0x4A, blue: 0x4A)
    static let button = Colour(red: 0x30, green: 0x30, blue: 0x30)
    /// The three greys of the boring face.
    static let boringGround = Colour(red: 0x0A, green: 0x0A, blue: 0x0A)
    static let boring = Colour(red: 0x88, green: 0x88, blue: 0x88)
    static let boringQuiet = Colour(red: 0x44, green: 0x44, blue: 0x44)
    static let warning = Colour(red: 0xD7, green: 0xAF, blue: 0x5F)
}
