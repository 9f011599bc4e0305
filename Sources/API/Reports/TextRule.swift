// SPDX-License-Identifier: Apache-2.0

package import Wire

/// A string, with rules that `openapi.json` states. The format itself accepts any string; its request checks the rules.
package struct TextRule: TextFormat {
    package var name: String { "string" }
    package var words: [String] = []
    package var pattern: String?
    package var bytes: ClosedRange<Int>?

    package func value(of text: Span<UInt8>) -> String? { String(validated: text) }
    package func write(_ value: String, to writer: inout JSONWriter) { writer.value(value) }
}

extension Format where Self == TextRule {
    /// One of several words. A later version may have more, so an unknown word is no error.
    static func oneOf(_ words: [String]) -> Self { TextRule(words: words) }

    static func oneOf<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> Self {
        TextRule(words: type.allCases.map(\.rawValue))
    }

    static var nodeName: Self { TextRule(pattern: NodeFormat.node.pattern) }

    /// Text for people, without control characters.
    /// - Parameter further: More characters that it may not have, for a pattern.
    static func clean(_ bytes: ClosedRange<Int>, without further: String = "") -> Self {
        let control = #"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"#
        return TextRule(pattern: "^[^\(control)\(further)]*$", bytes: bytes)
    }

    /// A colour as a person writes it: a name, or digits with or without `#`.
    package static var typedColour: Self {
        let names = NamedColours.names.joined(separator: "|")
        return TextRule(pattern: "^(#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|\(names))$")
    }

    /// A time of the day, as `14:30`. The request also accepts `9:05` and `14:30:00`, which the pattern
    /// leaves out.
    static var timeOfDay: Self { TextRule(pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$") }

    /// Simple plans of whole minutes. The one-line grammar accepts more than this pattern.
    static var oneLinePlan: Self {
        let phase = "(focus|shortBreak|longBreak|work|rest) [1-9][0-9]?m"
        return TextRule(pattern: "^\(phase)(, \(phase)){0,7}$")
    }

    static var icon: Self {
        let names = Icon.names.split(separator: ", ").joined(separator: "|")
        return TextRule(pattern: #"^(\#(names)|[^\x00-\x7f]+|[0-9#*]\ufe0f?\u20e3)$"#)
    }
}
