// SPDX-License-Identifier: Apache-2.0

/// A text of one line without control characters. Every writer of settings, headers, command lines and log lines takes
/// this type alone. So text from outside cannot become another line: it is checked by ``init(line:)`` or shown by
/// ``init(showing:)``, and a `String` in an interpolation does not compile.
public struct LineText: Hashable, Sendable, CustomStringConvertible {
    /// The text itself.
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
    /// Accepts a literal of the source.
    public init(stringLiteral literal: String) { self.init(stringInterpolation: Interpolation(literal)) }

    /// Joins the parts of an interpolation.
    public init(stringInterpolation parts: Interpolation) { description = parts.text }

    /// The parts of an interpolation, each of which is one line.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Begins with nothing.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        fileprivate init(_ literal: String) { appendLiteral(literal) }

        /// Adds a literal of the source, which must be one line.
        public mutating func appendLiteral(_ literal: String) {
            precondition(literal.unicodeScalars.allSatisfy(CleanText.isClean), "a literal of one line")
            text += literal
        }

        /// Adds a text of one line.
        public mutating func appendInterpolation(_ line: LineText) { text += line.description }

        /// Adds a number.
        public mutating func appendInterpolation(_ number: some BinaryInteger) { text += number.description }

        /// Adds the id of a node.
        public mutating func appendInterpolation(_ node: NodeID) { text += node.rawValue }

        /// Adds the id of a space.
        public mutating func appendInterpolation(_ space: SpaceID) { text += space.rawValue }

        /// Adds an opaque id.
        public mutating func appendInterpolation<Kind>(_ token: Token<Kind>) { text += token.rawValue }
    }
}
