// SPDX-License-Identifier: Apache-2.0

package import Session

/// The colours that all displays share.
package enum Shade {
    package static let black = Colour(red: 0, green: 0, blue: 0)
    package static let white = Colour(red: 0xFF, green: 0xFF, blue: 0xFF)
    package static let state = Colour(red: 0xCC, green: 0xCC, blue: 0xCC)
    package static let quiet = Colour(red: 0x8A, green: 0x8A, blue: 0x8A)
    package static let frozen = Colour(red: 0x76, green: 0x76, blue: 0x76)
    package static let track = Colour(red: 0x4A, green: 0x4A, blue: 0x4A)
    package static let button = Colour(red: 0x30, green: 0x30, blue: 0x30)
    /// The three greys of the boring face.
    package static let boringGround = Colour(red: 0x0A, green: 0x0A, blue: 0x0A)
    package static let boring = Colour(red: 0x88, green: 0x88, blue: 0x88)
    package static let boringQuiet = Colour(red: 0x44, green: 0x44, blue: 0x44)
    package static let warning = Colour(red: 0xD7, green: 0xAF, blue: 0x5F)
}

extension Colour {
    /// The colour, made light enough to be visible on black.
    package var onBlack: Colour {
        let light = (3 * Int(red) + 6 * Int(green) + Int(blue)) / 10
        let wanted = 90
        guard light < wanted else { return self }
        let mix = { (channel: UInt8) in
            UInt8(Int(channel) + (255 - Int(channel)) * (wanted - light) / (255 - light))
        }
        return Colour(red: mix(red), green: mix(green), blue: mix(blue))
    }
}
