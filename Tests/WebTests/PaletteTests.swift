// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// The contrast of the palette, computed from the style sheets (WCAG 2.2: 1.4.3, 1.4.6 and 1.4.11).
@Suite(.timeLimit(.minutes(15))) struct PaletteTests {
    private typealias Palette = [String: Colour]
    private struct Colour: Equatable {
        var red: Int
        var green: Int
        var blue: Int

        /// Reads `#rgb` or `#rrggbb`.
        init?(_ text: Substring) {
            let digits = text.drop { $0 == "#" }.compactMap(\.hexDigitValue)
            switch digits.count {
            case 3: (red, green, blue) = (digits[0] * 17, digits[1] * 17, digits[2] * 17)
            case 6:
                (red, green, blue) = (
                    digits[0] * 16 + digits[1], digits[2] * 16 + digits[3], digits[4] * 16 + digits[5]
                )
            default: return nil
            }
        }

        var luminance: Double {
            let parts = [red, green, blue].map { value in
                let share = Double(value) / 255
                return share <= 0.04045 ? share / 12.92 : Self.power((share + 0.055) / 1.055)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }

        /// Returns a number to the power of 2.4, by Newton's method for the fifth root.
        private static func power(_ base: Double) -> Double {
            var root = base
            for _ in 0..<60 { root -= (root * root * root * root * root - base) / (5 * root * root * root * root) }
            return base * base * root * root
        }

        func contrast(to other: Colour) -> Double {
            let (low, high) = (min(luminance, other.luminance), max(luminance, other.luminance))
            return (high + 0.05) / (low + 0.05)
        }
    }

    @Test func contrastIsComputedAsTheGuidelinesSay() throws {
        let (black, white) = (try #require(Colour("#000")), try #require(Colour("#fff")))
        #expect(abs(black.contrast(to: white) - 21) < 0.001)
        #expect(abs((try #require(Colour("#767676"))).contrast(to: white) - 4.54) < 0.01)
    }

    @Test(arguments: ["light", "dark", "e-ink"]) func everyTextCanBeRead(theme: String) throws {
        let palette = try Self.palette(theme)
        let ground = try #require(palette["ground"])
        for (names, least) in [
            (["time", "frozen"], 7.0), (["text", "state", "quiet", "warning"], 4.5), (["tint"], 3),
        ] {
            for name in names {
                let ratio = try #require(palette[name]).contrast(to: ground)
                #expect(ratio >= least, "\(name) has a contrast of \(ratio) in the theme \(theme)")
            }
        }
        let button = try #require(palette["text"]).contrast(to: try #require(palette["button"]))
        #expect(button >= 4.5, "a button has a contrast of \(button) in the theme \(theme)")
    }

    /// Its colours are prescribed; the debt in `#444` is a decoration.
    @Test func boringFaceHasThePrescribedColours() throws {
        let values = Set(try Self.variables(of: ":root.boring", in: "Kiosk/kiosk.css").values)
        #expect(values == ["#0a0a0a", "#888", "#444"])
    }

    private static func palette(_ theme: String) throws -> Palette {
        var texts = try variables(of: ":root", in: "Shared/look.css")
        if theme == "e-ink" { texts.merge(try variables(of: ":root.e-ink", in: "Shared/look.css")) { $1 } }
        return texts.compactMapValues { text in
            guard let pair = text.firstMatch(of: /light-dark\((#\w+), (#\w+)\)/) else { return Colour(text[...]) }
            return Colour(theme == "dark" ? pair.output.2 : pair.output.1)
        }
    }

    /// Returns the variables of the first rule with a selector.
    private static func variables(of selector: String, in file: String) throws -> [String: String] {
        let sheet = try Project.read("Sources/Web/\(file)")
        let rules = sheet.split(separator: "}")
        let rule = try #require(rules.first { $0.contains("\(selector) {") })
        return Dictionary(
            rule.matches(of: /--([a-z]+): ([^;]+);/).map { (String($0.output.1), String($0.output.2)) },
            uniquingKeysWith: { $1 })
    }
}
