// SPDX-License-Identifier: Apache-2.0

/// A string literal of a source file, with ``SourceText/gap`` for whatever is only known at run time.
struct Literal: Hashable {
    var line: Int
    var text: String
    /// Whether it is part of an error that is thrown on that line.
    var isThrown = false
}

/// Finds the string literals of Swift and of scripts, also those within interpolations; comments are passed over.
struct SourceText {
    enum Language {
        case swift, script
    }

    /// Stands for an interpolation, or a character given by its number.
    static let gap: Character = "\u{FFFC}"

    private let language: Language
    private let source: [Character]
    private var index = 0
    private var line = 1
    private var found: [Literal] = []

    static func literals(_ source: String, _ language: Language) -> [Literal] {
        var text = SourceText(language: language, source: source)
        text.code(until: nil)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return text.found.sorted { $0.line < $1.line }.map { literal in
            let isThrown = lines[literal.line - 1].contains(/\bthrow\b/)
            return Literal(line: literal.line, text: literal.text, isThrown: isThrown)
        }
    }

    private init(language: Language, source: String) {
        self.language = language
        self.source = Array(source)
    }

    private func isAt(_ text: String) -> Bool { source[index...].starts(with: text) }

    private mutating func next() -> Character? {
        guard index < source.count else { return nil }
        defer { index += 1 }
        if source[index].isNewline { line += 1 }
        return source[index]
    }

    private mutating func skip(_ text: String) { for _ in text { _ = next() } }

    /// Code up to the bracket that ends an interpolation, or to the end of the file.
    private mutating func code(until end: Character?) {
        let opening: Character = end == ")" ? "(" : "{"
        var depth = 0
        while index < source.count {
            if isAt("//") {
                while let character = next(), !character.isNewline {}
            } else if isAt("/*") {
                while index < source.count, !isAt("*/") { _ = next() }
                skip("*/")
            } else if let delimiter = delimiter {
                literal(delimiter)
            } else {
                let character = next()
                if character == opening { depth += 1 }
                if let end, character == end {
                    if depth == 0 { return }
                    depth -= 1
                }
            }
        }
    }

    private var delimiter: String? {
        let all = language == .swift ? ["#\"\"\"", "\"\"\"", "#\"", "\""] : ["\"", "'", "`"]
        return all.first { isAt($0) }
    }

    private mutating func literal(_ delimiter: String) {
        let isRaw = delimiter.hasPrefix("#")
        let end = String(delimiter.reversed())
        let start = line
        var text = ""
        skip(delimiter)
        while index < source.count, !isAt(end) {
            if language == .script, delimiter == "`", isAt("${") {
                skip("${")
                code(until: "}")
                text.append(Self.gap)
            } else if !isRaw, isAt("\\") {
                text.append(escape())
            } else if isRaw, isAt("\\#(") {
                skip("\\#(")
                code(until: ")")
                text.append(Self.gap)
            } else if let character = next() {
                text.append(character)
            }
        }
        skip(end)
        found.append(Literal(line: start, text: text))
    }

    private mutating func escape() -> Character {
        skip("\\")
        switch next() {
        case "(" where language == .swift:
            code(until: ")")
            return Self.gap
        case "u":
            if isAt("{") {
                while let character = next(), character != "}" {}
            } else {
                skip("0000")
            }
            return Self.gap
        case "n", "r", "t", "\n": return " "
        case let character?: return character
        case nil: return Self.gap
        }
    }
}
