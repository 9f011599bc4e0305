// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session

extension StatusLine {
    /// The line as a bar reads it, without the line feed at its end.
    /// - Parameter isFollowed: Whether more lines come by and by: i3blocks then wants one object a line.
    public func formatted(_ format: StatusFormat, isFollowed: Bool = false) -> String {
        switch format {
        case .text: text
        case .json: StatusJSON.encode(StatusModel(self))
        case .waybar: StatusJSON.encode(WaybarModule(self))
        case .tmux: Self.joined(parts) { Self.tmux($0) }
        case .i3blocks where isFollowed: StatusJSON.encode(I3Block(self))
        case .i3blocks: [i3Text, Self.directed(shortParts, self), colour.opaque.description].joined(separator: "\n")
        case .polybar: Self.joined(parts) { Self.polybar($0) }
        }
    }

    /// A minimal line shows the time where i3bar finds room for it.
    fileprivate var i3Text: String {
        guard style == .minimal, screen.face != .boring, !screen.isIdle else { return Self.directed(parts, self) }
        return Self.directed(parts + [Part(text: screen.time, gap: " ")], self)
    }

    private static func joined(_ parts: [Part], _ write: (Part) -> String) -> String {
        parts.enumerated().map { ($0 == 0 ? "" : $1.gap) + write($1) }.joined()
    }

    /// Each part keeps its direction to itself.
    fileprivate static func directed(
        _ parts: [Part], _ line: StatusLine, _ write: (Part, String) -> String = { $1 }
    ) -> String {
        let text = joined(parts) { write($0, TextDirection.isolated($0.text)) }
        return line.isRightToLeft && !text.isEmpty ? TextDirection.rightToLeftMark + text : text
    }

    private static func tmux(_ part: Part) -> String {
        let text = tmuxText(part.text)
        guard let colour = part.colour else { return part.text.last == "#" ? text + "#[default]" : text }
        return "#[fg=\(colour.opaque)]\(text)#[default]"
    }

    /// Tmux reads what a command prints twice, and each time takes two of these signs for one; but before a style, or
    /// what looks like one, only once.
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

    /// Polybar knows no way to write a tag's beginning as text, so what looks like one is taken apart by a character that
    /// has no width.
    private static func polybar(_ part: Part) -> String {
        let text = part.text.replacing("%{", with: "%\u{200B}{")
        guard let colour = part.colour else { return text }
        return "%{F\(colour.opaque)}\(text)%{F-}"
    }
}

/// What waybar's `return-type: json` reads.
private struct WaybarModule: Encodable {
    var text: String
    var alt: String
    var tooltip: String
    var `class`: [String]
    var percentage: Int

    init(_ line: StatusLine) {
        text = StatusLine.directed(line.parts, line) { part, text in
            let text = Markup.escaped(text)
            return part.colour.map { "<span color=\"\($0.opaque)\">\(text)</span>" } ?? text
        }
        alt = line.status
        tooltip = Markup.escaped(line.tooltip)
        `class` = line.classes
        percentage = line.percentage ?? 0
    }
}

/// What i3blocks reads of a block whose interval is `persist` and whose format is `json`.
private struct I3Block: Encodable {
    private enum CodingKeys: String, CodingKey {
        case color
        case fullText = "full_text"
        case shortText = "short_text"
    }

    var fullText: String
    var shortText: String
    var color: String

    init(_ line: StatusLine) {
        fullText = line.i3Text
        shortText = StatusLine.directed(line.shortParts, line)
        color = line.colour.opaque.description
    }
}

/// The line for programs. Every field is always there.
private struct StatusModel: Encodable {
    private let line: StatusLine

    init(_ line: StatusLine) { self.line = line }

    private enum Key: String, CodingKey {
        case approximate, `class`, ends, endsAt, face, kind, label, percentage, seconds, short, stale, status, style,
            text
        case title, tooltip
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let (screen, facts) = (line.screen, line.screen.facts)
        try container.encode(facts.isApproximate, forKey: .approximate)
        try container.encode(line.classes, forKey: .class)
        try container.encode(facts.endClock, forKey: .ends)
        try container.encode(facts.endsAt, forKey: .endsAt)
        try container.encode(screen.face.rawValue, forKey: .face)
        try container.encode(facts.kind?.rawValue, forKey: .kind)
        try container.encode(screen.label?.name, forKey: .label)
        try container.encode(line.percentage, forKey: .percentage)
        try container.encode(facts.seconds, forKey: .seconds)
        try container.encode(StatusLine.text(line.shortParts), forKey: .short)
        try container.encode(screen.isStale, forKey: .stale)
        try container.encode(line.status, forKey: .status)
        try container.encode(line.style.rawValue, forKey: .style)
        try container.encode(line.text, forKey: .text)
        try container.encode(screen.isIdle ? nil : screen.title, forKey: .title)
        try container.encode(line.tooltip, forKey: .tooltip)
    }
}

private enum StatusJSON {
    /// One line: text that came from people holds no line feed that JSON would not escape.
    static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in a line can fail to be written.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension Colour {
    /// The colour without its opacity.
    var opaque: Colour { Colour(red: red, green: green, blue: blue) }
}
