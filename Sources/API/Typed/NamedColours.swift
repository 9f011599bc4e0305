// SPDX-License-Identifier: Apache-2.0

package import Session

/// The colours that a person can name. A name is resolved where it is typed; registers and records hold digits.
package enum NamedColours {
    /// The colour of breaks and rests, with the name `break`.
    package static let rest = Colour(red: 0x7B, green: 0xC8, blue: 0x8F)

    /// The 24 colours of labels, in the order of the rainbow. Each has a contrast of at least 4.5:1 on black.
    package static let labels: [(name: String, colour: Colour)] = [
        ("red", Colour(red: 0xE5, green: 0x48, blue: 0x4D)),
        ("coral", Colour(red: 0xFF, green: 0x8A, blue: 0x70)),
        ("orange", Colour(red: 0xF7, green: 0x7B, blue: 0x24)),
        ("amber", Colour(red: 0xFF, green: 0xB2, blue: 0x24)),
        ("yellow", Colour(red: 0xF5, green: 0xD9, blue: 0x0A)),
        ("lime", Colour(red: 0xB8, green: 0xDB, blue: 0x4A)),
        ("olive", Colour(red: 0x9A, green: 0xA0, blue: 0x3A)),
        ("green", Colour(red: 0x46, green: 0xA7, blue: 0x58)),
        ("emerald", Colour(red: 0x1F, green: 0xC9, blue: 0x8A)),
        ("mint", Colour(red: 0xA6, green: 0xEB, blue: 0xD3)),
        ("teal", Colour(red: 0x12, green: 0xA5, blue: 0x94)),
        ("cyan", Colour(red: 0x22, green: 0xC8, blue: 0xDE)),
        ("sky", Colour(red: 0x8C, green: 0xCF, blue: 0xFA)),
        ("blue", Colour(red: 0x4C, green: 0x8D, blue: 0xFF)),
        ("indigo", Colour(red: 0x6E, green: 0x78, blue: 0xF0)),
        ("violet", Colour(red: 0x9C, green: 0x80, blue: 0xFF)),
        ("purple", Colour(red: 0xB0, green: 0x62, blue: 0xE8)),
        ("magenta", Colour(red: 0xDA, green: 0x5B, blue: 0xC4)),
        ("pink", Colour(red: 0xF7, green: 0x9A, blue: 0xCB)),
        ("rose", Colour(red: 0xF2, green: 0x5C, blue: 0x8A)),
        ("brown", Colour(red: 0xB9, green: 0x80, blue: 0x59)),
        ("sand", Colour(red: 0xD9, green: 0xC2, blue: 0x9A)),
        ("slate", Colour(red: 0x8F, green: 0xA3, blue: 0xB8)),
        ("grey", .grey),
    ]

    package static var names: [String] { labels.map(\.name) + [restName] }

    private static let restName = "break"

    /// The colour of a name, in capitals or small letters; `nil` for an unknown name.
    package static subscript(name: String) -> Colour? {
        let name = name.lowercased()
        return name == restName ? rest : labels.first { $0.name == name }?.colour
    }
}

extension Colour {
    /// Reads a colour that a person typed: a name of ``NamedColours``, or digits as in ``init(hex:)``.
    package init?(typed text: String) {
        guard let colour = NamedColours[text] ?? Colour(hex: text) else { return nil }
        self = colour
    }

    /// The forms that ``init(typed:)`` accepts, for error messages.
    package static let forms =
        "a name such as teal, or #rgb, #rrggbb or #rrggbbaa, where aa is the opacity, with or without #"
}
