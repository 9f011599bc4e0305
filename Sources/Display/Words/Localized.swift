// SPDX-License-Identifier: Apache-2.0

package import API

/// A text for people. Its words come from a catalogue or from a person; code adds only digits and signs.
///
/// Literals and ``symbols(_:)`` lose every word, that is, two letters or more in a row: words belong in the catalogues.
package struct Localized: Hashable, Sendable, CustomStringConvertible {
    package static let separator: Localized = " · "

    package private(set) var description: String

    fileprivate init(unchecked text: String) { description = text }

    /// Returns a person's own text: a title, a label, the name of a phase, the id of a node.
    package static func userText(_ text: String) -> Localized { Localized(unchecked: text) }

    /// Returns digits and signs, without words.
    package static func symbols(_ text: String) -> Localized {
        let hasWord = text.indices.dropLast().contains { text[$0].isLetter && text[text.index(after: $0)].isLetter }
        return Localized(unchecked: hasWord ? text.replacing(/\p{L}{2,}/, with: "") : text)
    }

    package var isEmpty: Bool { description.isEmpty }

    /// Returns as much as fits in `columns` of a terminal, with an ellipsis if it is cut.
    package func fitted(columns: Int) -> Localized {
        Localized(unchecked: TerminalText.fitted(description, columns: columns))
    }

    /// Returns as much as fits in `room`, in multiples of the font size.
    func fitted(room: Double, measure: TextMeasure) -> Localized {
        Localized(unchecked: measure.fitted(description, room: room))
    }
}

extension Localized: ExpressibleByStringInterpolation {
    /// The interpolation of a text, which admits localized texts, numbers and signs, but no plain string.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text += Localized.symbols(literal).description }

        package mutating func appendInterpolation(_ part: Localized) { text += part.description }

        package mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
    }

    package init(stringLiteral value: String) { self = .symbols(value) }

    package init(stringInterpolation: StringInterpolation) { description = stringInterpolation.text }
}

extension Localized: JSONWritable {
    package var json: JSONText { description.json }
}

extension Sequence<Localized> {
    /// Joins the texts that are not empty.
    package func joined(separator: Localized = "") -> Localized {
        let parts = map(\.description).filter { !$0.isEmpty }
        return Localized(unchecked: parts.joined(separator: separator.description))
    }
}

extension Strings {
    /// Returns the string with its braces; of several plural forms the most general one.
    package subscript(key: Key) -> Localized { Localized(unchecked: template(key)) }

    /// Returns the string with its braces replaced by `values`.
    package func text(_ key: Key, _ values: [String: Localized]) -> Localized { Self.fill(template(key), values) }

    /// Returns the string in the plural form for a number, which replaces `{count}`.
    package func text(_ key: Key, count: Int, _ values: [String: Localized] = [:]) -> Localized {
        var text = template(key)
        if case .plural(let forms) = entry(key), let form = forms[PluralForm(of: count, in: language)] { text = form }
        return Self.fill(text, values.merging(["count": "\(count)"]) { value, _ in value })
    }

    /// Returns an item of a list, counted from 1.
    func item(_ number: Int, of list: Key) -> Localized {
        let items = template(list).split(separator: " ")
        return items.count >= number ? Localized(unchecked: String(items[number - 1])) : "\(number)"
    }

    private func template(_ key: Key) -> String {
        switch entry(key) {
        case .text(let text): text
        case .plural(let forms): forms[.other] ?? forms[.many] ?? ""
        case nil: self == .english ? key.rawValue : Strings.english.template(key)
        }
    }

    private static func fill(_ text: String, _ values: [String: Localized]) -> Localized {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            result += values[name]?.description ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return Localized(unchecked: result + rest)
    }
}
