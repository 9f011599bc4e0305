// SPDX-License-Identifier: Apache-2.0

@testable import Display

/// The words in a source file that a person would read on a display. There must be none: words stand in catalogues.
///
/// A word is two letters or more in a row, in any script. What is not read by people does not count: markup without
/// its text and its spoken attributes, names of fields, what status bars obey, paths and movements of drawings, fonts,
/// a style sheet; what is thrown, for errors are for whoever wrote a program or an address, and English like those of
/// commands; and a literal that is one ASCII name from a small letter on (`percent`, `zh-Hans`, `256color`, `v1/nodes?`),
/// unless a catalogue has it as a text.
enum ShownWords {
    /// What may stand where words do: names that are the same in every language.
    static let names: Set<String> = ["Lockstep", "English"]
    /// Variables of the environment, words of HTTP, and what a script says to its interpreter.
    static let commands: Set<String> = [
        "TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_MESSAGES", "LANG", "GET", "POST", "Accept", "Authorization",
        "Content-Type", "use strict",
    ]

    static func swift(_ source: String) -> [Literal] { words(SourceText.literals(source, .swift)) }
    static func script(_ source: String) -> [Literal] { words(SourceText.literals(source, .script)) }

    /// Those that a style sheet writes into the page.
    static func style(_ source: String) -> [Literal] {
        let strings = source.matches(of: /content:\s*(?:"([^"]*)"|'([^']*)')/)
        return words(strings.map { Literal(line: 0, text: String($0.1 ?? $0.2 ?? "")) }, areNames: false)
    }

    static func page(_ source: String) -> [Literal] {
        let texts = readByPeople(source).split { $0 == "|" || $0.isNewline }
        return words(texts.map { Literal(line: 0, text: String($0)) }, areNames: false)
    }

    private static func words(_ literals: [Literal], areNames: Bool = true) -> [Literal] {
        literals.filter { literal in
            let text = literal.text
            let isCode = isName(text) || commands.contains(text) || isPath(text) || isFont(text)
            if literal.isThrown || areNames && isCode { return false }
            let words = readByPeople(text).matches(of: /\p{L}{2,}/).map { String($0.output) }
            return words.contains { !names.contains($0) }
        }
    }

    private static func isName(_ text: String) -> Bool {
        text.wholeMatch(of: /[-._:=\/?&#0-9]*[a-z][-._:=\/?&#A-Za-z0-9]*/) != nil && !texts.contains(text)
    }

    private static func isPath(_ text: String) -> Bool {
        text.wholeMatch(of: /M[0-9][MmLlHhVvCcSsQqTtAaZz0-9 ,.\-]*/) != nil
    }

    /// Families, ending with one that every machine has.
    private static func isFont(_ text: String) -> Bool {
        text.wholeMatch(of: /[-A-Za-z0-9 ,']*\b(?:monospace|serif)/) != nil
    }

    private static func readByPeople(_ text: String) -> String {
        let spoken = /\b(?:alt|title|placeholder|aria-label|aria-description)=(?:"([^"]*)"|'([^']*)')/
        let values = text.matches(of: spoken).map { String($0.1 ?? $0.2 ?? "") }
        let rest =
            text
            .replacing(/<!--(?s:.*?)-->/, with: "|")
            .replacing(/<(style|script)\b[^>]*>(?s:.*?)<\/\1>/, with: "|")
            .replacing(/<[!?\/A-Za-z][^<>]*(>|$)/, with: "|")
            // The end of a tag that began in another literal.
            .replacing(/^[^<>]*["']\s*\/?>/, with: "|")
            .replacing(/[-:A-Za-z]+=("[^"]*"|'[^']*')/, with: "|")
            .replacing(/"[A-Za-z_]+"\s*:/, with: "|")
            .replacing(/%\{[^}]*\}|#\[[^\]]*\]|&[a-z]+;/, with: "|")
            .replacing(/\b(?:translate|scale|rotate)\([^)]*\)/, with: "|")
        return (values + [rest]).joined(separator: "|")
    }

    private static let texts: Set<String> = Set(
        Catalogue.languages.flatMap { language in
            Strings.Key.allCases.compactMap { Catalogue.strings(language)?[$0] }
        })
}
