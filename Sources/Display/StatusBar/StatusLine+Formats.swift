// SPDX-License-Identifier: Apache-2.0

import API
import Session

extension StatusLine {
    /// Returns the line in a bar's format, without the line feed at its end.
    /// - Parameter isFollowed: Whether more lines follow; i3blocks then expects one object per line.
    package func formatted(_ format: StatusFormat, isFollowed: Bool = false) -> String {
        switch format {
        case .text: text
        case .waybar: waybar.text
        case .tmux: Self.joined(parts) { Self.tmux($0) }
        // An i3blocks block with the interval `persist` and the format `json`.
        case .i3blocks where isFollowed:
            JSONText([
                ("color", colour.opaque.description.json), ("full_text", i3Text.json),
                ("short_text", Self.directed(shortParts, self).json),
            ]).text
        case .i3blocks: [i3Text, Self.directed(shortParts, self), colour.opaque.description].joined(separator: "\n")
        case .polybar: Self.joined(parts) { Self.polybar($0) }
        }
    }

    /// The fields of waybar's `return-type: json`.
    private var waybar: JSONText {
        let text = Self.directed(parts, self) { part, text in
            let text = Markup.escaped(text)
            return part.colour.map { "<span color=\"\($0.opaque)\">\(text)</span>" } ?? text
        }
        return [
            "alt": status.json, "class": classes.json, "percentage": (percentage ?? 0).json, "text": text.json,
            "tooltip": Markup.escaped(tooltip).json,
        ]
    }

    /// The full text for i3bar. A minimal line has the time here too: without room, i3bar shows the short text.
    private var i3Text: String {
        guard style == .minimal, screen.face != .boring, !screen.isIdle else { return Self.directed(parts, self) }
        return Self.directed(parts + [Part(text: screen.time, gap: " ")], self)
    }

    private static func joined(_ parts: [Part], _ write: (Part) -> String) -> String {
        parts.enumerated().map { ($0 == 0 ? "" : $1.gap.description) + write($1) }.joined()
    }

    /// Joins the parts, with the direction of each isolated.
    private static func directed(
        _ parts: [Part], _ line: StatusLine, _ write: (Part, Localized) -> String = { $1.description }
    ) -> String {
        let text = joined(parts) { write($0, TextDirection.isolated($0.text)) }
        return line.isRightToLeft && !text.isEmpty ? "\(TextDirection.rightToLeftMark)\(text)" : text
    }

    private static func tmux(_ part: Part) -> String {
        let text = tmuxText(part.text.description)
        guard let colour = part.colour else { return text.last == "#" ? text + "#[default]" : text }
        return "#[fg=\(colour.opaque)]\(text)#[default]"
    }

    /// Escapes number signs for tmux.
    ///
    /// Tmux parses the output of a command twice and each time reads two number signs as one. Before a style, or what
    /// looks like a style, it does so only once.
    private static func tmuxText(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let next = rest.first {
            let signs = rest.prefix { $0 == "#" }
            rest = rest.dropFirst(max(signs.count, 1))
            let isBeforeStyle = rest.first == "[" || rest.isEmpty
            result +=
                signs.isEmpty ? String(next) : String(repeating: "#", count: signs.count * (isBeforeStyle ? 2 : 4))
        }
        return result
    }

    /// Splits text that looks like a tag with a zero-width space, since polybar has no escape.
    private static func polybar(_ part: Part) -> String {
        let text = part.text.description.replacing("%{", with: "%\u{200B}{")
        guard let colour = part.colour else { return text }
        return "%{F\(colour.opaque)}\(text)%{F-}"
    }
}

extension Colour {
    var opaque: Colour { Colour(red: red, green: green, blue: blue) }
}
