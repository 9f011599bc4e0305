// SPDX-License-Identifier: Apache-2.0

import Session

/// The colours that a terminal has.
enum ColourDepth: CaseIterable, Sendable {
    case none, sixteen, indexed, full

    /// - Parameter environment: Returns the value of a variable: `NO_COLOR`, `TERM` or `COLORTERM`.
    init(environment: (String) -> String?) {
        let term = environment("TERM") ?? ""
        let isUncoloured = !(environment("NO_COLOR") ?? "").isEmpty
        if isUncoloured || ["", "dumb"].contains(term) || term.hasPrefix("vt") {
            self = .none
        } else if term == "linux" {
            self = .sixteen
        } else if ["truecolor", "24bit"].contains(environment("COLORTERM") ?? "") || term.hasSuffix("-direct") {
            self = .full
        } else if Self.fullTerminals.contains(where: term.contains) {
            self = .full
        } else {
            self = term.hasSuffix("256color") ? .indexed : .sixteen
        }
    }

    private static let fullTerminals = ["kitty", "alacritty", "foot", "ghostty", "wezterm"]

    /// Whether the terminal's font has icons and eighth blocks, which a bare console lacks.
    var hasFineCharacters: Bool { self != .sixteen }

    /// Whether an area can stand out by its background alone.
    var hasAreas: Bool { self == .full || self == .indexed }

    /// Returns the SGR codes of a colour; `nil` means the terminal's own.
    func codes(_ colour: Colour?, isBackground: Bool) -> [Int] {
        guard let colour else { return self == .none ? [] : [isBackground ? 49 : 39] }
        let base = isBackground ? 40 : 30
        switch self {
        case .none: return []
        case .full: return [base + 8, 2, Int(colour.red), Int(colour.green), Int(colour.blue)]
        case .indexed: return [base + 8, 5, Palette.indexed(colour)]
        case .sixteen:
            let index = Palette.sixteen(colour)
            return [index < 8 ? base + index : base + 52 + index]
        }
    }
}

/// The nearest colours of terminals with few colours.
enum Palette {
    private typealias Entry = (index: Int, colour: Colour)

    /// Returns an index from 16 to 255; the lower ones depend on the terminal's theme.
    static func indexed(_ colour: Colour) -> Int { nearest(colour, in: colour.chroma == 0 ? ramp + cube : cube + ramp) }

    /// Returns an index from 0 to 15: a grey for a grey, and a hue for any other colour.
    static func sixteen(_ colour: Colour) -> Int {
        let leastChroma = 40
        return nearest(colour, in: colour.chroma > leastChroma ? hues : greys)
    }

    private static let ramp: [Entry] = (0..<24).map { step in
        let level = UInt8(step * 10 + 8)
        return (step + 232, Colour(level, level, level))
    }

    private static let cube: [Entry] = (0..<216).map { step in
        (step + 16, Colour(level(step / 36), level(step / 6 % 6), level(step % 6)))
    }

    private static let greys: [Entry] = [
        (0, Colour(0, 0, 0)), (8, Colour(85, 85, 85)), (7, Colour(170, 170, 170)), (15, Colour(255, 255, 255)),
    ]

    /// The hues of the Linux console, whose dark yellow is brown.
    private static let hues: [Entry] = [
        (1, Colour(170, 0, 0)), (2, Colour(0, 170, 0)), (3, Colour(170, 85, 0)), (4, Colour(0, 0, 170)),
        (5, Colour(170, 0, 170)), (6, Colour(0, 170, 170)), (9, Colour(255, 85, 85)), (10, Colour(85, 255, 85)),
        (11, Colour(255, 255, 85)), (12, Colour(85, 85, 255)), (13, Colour(255, 85, 255)), (14, Colour(85, 255, 255)),
    ]

    private static func level(_ step: Int) -> UInt8 { step == 0 ? 0 : UInt8(55 + 40 * step) }

    private static func nearest(_ colour: Colour, in palette: [Entry]) -> Int {
        palette.min { $0.colour.distance(to: colour) < $1.colour.distance(to: colour) }?.index ?? 0
    }
}

extension Colour {
    fileprivate init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { self.init(red: red, green: green, blue: blue) }

    fileprivate var chroma: Int { Int(max(red, green, blue)) - Int(min(red, green, blue)) }

    /// The distance to another colour, weighted by the eye's sensitivity.
    fileprivate func distance(to other: Colour) -> Int {
        let part = { (a: UInt8, b: UInt8) in (Int(a) - Int(b)) * (Int(a) - Int(b)) }
        return 3 * part(red, other.red) + 6 * part(green, other.green) + 2 * part(blue, other.blue)
    }
}
