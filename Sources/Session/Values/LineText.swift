// SPDX-License-Identifier: Apache-2.0

/// A text of one line without control characters. Every writer of settings, headers, command lines and log lines takes
/// this type alone. So text from outside cannot become another line: it is checked by ``init(line:)`` or shown by
/// ``init(showing:)``, and a `String` in an interpolation does not compile.
public struct LineText: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Accepts a text of clean scalars, which may be empty; `nil` for any other.
    public init?(line text: String) {
        guard text.unicodeScalars.allSatisfy(CleanText.isClean) else { return nil }
        description = text
    }

    /// Replaces every scalar that is not clean by U+FFFD.
    public init(showing text: String) {
        let isClean = text.unicodeScalars.allSatisfy(CleanText.isClean)
        description =
            isClean
            ? text
            : String(String.UnicodeScalarView(text.unicodeScalars.map { CleanText.isClean($0) ? $0 : "\u{FFFD}" }))
    }

    /// Shows a text of several lines: each line as by ``init(showing:)``.
    public static func lines(showing text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { LineText(showing: String($0)).description }.joined(separator: "\n")
    }
}

extension LineText: ExpressibleByStringInterpolation {
    public init(stringLiteral literal: String) { self.init(stringInterpolation: Interpolation(literal)) }
    public init(stringInterpolation parts: Interpolation) { description = parts.text }

    /// The parts of an interpolation, each of which is one line.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        fileprivate init(_ literal: String) { appendLiteral(literal) }

        public mutating func appendLiteral(_ literal: String) {
            precondition(literal.unicodeScalars.allSatisfy(CleanText.isClean), "a literal of one line")
            text += literal
        }

        public mutating func appendInterpolation(_ line: LineText) { text += line.description }
        public mutating func appendInterpolation(_ number: some BinaryInteger) { text += number.description }
        public mutating func appendInterpolation(_ node: NodeID) { text += node.rawValue }
        public mutating func appendInterpolation(_ space: SpaceID) { text += space.rawValue }
        public mutating func appendInterpolation<Kind>(_ token: Token<Kind>) { text += token.rawValue }
    }
}
