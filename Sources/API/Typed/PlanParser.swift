// SPDX-License-Identifier: Apache-2.0

package import Session

/// The first mistake in the text of a plan or a duration.
package struct PlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The column of the mistake, counted from 1.
    package var column: Int
    package var message: String

    package var description: String { "column \(column): \(message)" }
}

/// The one-line grammar of plans, in presets and on the command line.
///
/// ```text
/// plan     = sequence
/// sequence = set *( "," set )
/// set      = part *( "/" part )                 ; the parts of a set alternate
/// part     = ( phase | "(" sequence ")" ) [ repeat ]
/// phase    = [ kind ] [ '"' name '"' ] duration ; kind: focus shortBreak longBreak work rest phase
/// repeat   = ( "x" | "×" ) number               ; of the whole set, when it has several parts
/// duration = 1*( number ( "h" | "m" | "s" ) )
/// ```
///
/// `work 40s x8 / rest 20s` is eight times work and rest: sixteen phases.
package struct PlanParser {
    /// The message of an error about a length.
    package static let lengthRule = "a phase lasts from 1s to 24h"

    private var characters: [Character]
    private var position = 0

    /// Reads a plan. An error names the column, also when the plan has more than ``Limits/phases`` phases.
    package static func phases(of text: String) throws(PlanError) -> [Phase] {
        var parser = PlanParser(characters: Array(text))
        let phases = try parser.sequence(depth: 0)
        parser.skipSpaces()
        guard parser.position == parser.characters.count else {
            throw parser.error("expected “,”, “/”, a repeat such as “x4” or the end")
        }
        return phases
    }

    /// Reads a duration such as `25m` or `1h30m`, in seconds within ``Limits/phaseSeconds``.
    package static func seconds(of text: String) throws(PlanError) -> Int {
        var parser = PlanParser(characters: Array(text))
        parser.skipSpaces()
        let seconds = try parser.duration()
        parser.skipSpaces()
        guard parser.position == parser.characters.count else {
            throw parser.error("expected the end after a duration")
        }
        return seconds
    }

    private mutating func sequence(depth: Int) throws(PlanError) -> [Phase] {
        var phases: [Phase] = []
        repeat {
            skipSpaces()
            let column = position
            phases += try set(depth: depth)
            try check(phases.count, column: column)
        } while accept(",")
        return phases
    }

    private mutating func set(depth: Int) throws(PlanError) -> [Phase] {
        var phases: [Phase] = []
        var repetition: (times: Int, column: Int)?
        repeat {
            phases += try part(depth: depth)
            skipSpaces()
            let column = position
            if let times = try repeatCount() {
                if repetition != nil {
                    position = column
                    throw error("this set already says how often it repeats")
                }
                repetition = (times, column)
            }
        } while accept("/")
        guard let (times, column) = repetition else { return phases }
        try check(phases.count * times, column: column)
        return (0..<times).flatMap { _ in phases }
    }

    private mutating func part(depth: Int) throws(PlanError) -> [Phase] {
        skipSpaces()
        guard peek == "(" else { return [try phase()] }
        guard depth < 4 else { throw error("parentheses nest at most four deep") }
        let open = position
        position += 1
        let phases = try sequence(depth: depth + 1)
        guard accept(")") else {
            if position == characters.count { position = open }
            throw error(peek == "(" ? "this parenthesis is never closed" : "expected “,” or “)”")
        }
        return phases
    }

    private mutating func phase() throws(PlanError) -> Phase {
        let kind = try kind()
        let name = try name()
        skipSpaces()
        return Phase(kind: kind ?? (name == nil ? .focus : .phase), name: name, seconds: try duration())
    }

    private mutating func kind() throws(PlanError) -> PhaseKind? {
        let column = position
        var word = ""
        while let next = peek, next.isLetter {
            word.append(next)
            position += 1
        }
        guard !word.isEmpty else { return nil }
        if let kind = PhaseKind.allCases.first(where: { $0.rawValue.lowercased() == word.lowercased() }) { return kind }
        position = column
        let kinds = PhaseKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw error("“\(word)” is not a kind of phase; kinds are \(kinds)")
    }

    private mutating func name() throws(PlanError) -> String? {
        skipSpaces()
        guard peek == "\"" else { return nil }
        let open = position
        position += 1
        var name = ""
        while let next = peek, next != "\"" {
            name.append(next)
            position += 1
        }
        guard peek == "\"" else {
            position = open
            throw error("this name is never closed with “\"”")
        }
        guard Phase(kind: .phase, name: name, seconds: 1).isValid else {
            position = open
            throw error("a name has 1 to \(Limits.nameBytes) bytes, no “\\” and no control characters")
        }
        position += 1
        return name
    }

    private mutating func duration() throws(PlanError) -> Int {
        let column = position
        var total = 0
        repeat {
            guard let count = try number() else { throw error("expected a duration such as “25m”, “40s” or “1h30m”") }
            let unit: Int
            switch peek {
            case "h": unit = 3_600
            case "m": unit = 60
            case "s": unit = 1
            default: throw error("expected a unit after the number: h, m or s")
            }
            position += 1
            total += count * unit
        } while peek?.isWholeNumber == true
        guard Limits.phaseSeconds.contains(total) else {
            position = column
            throw error(Self.lengthRule)
        }
        return total
    }

    private mutating func repeatCount() throws(PlanError) -> Int? {
        guard let sign = peek, sign == "x" || sign == "×" || sign == "X" else { return nil }
        position += 1
        let column = position
        guard let times = try number() else { throw error("expected a number after “\(sign)”") }
        guard (1...Limits.phases).contains(times) else {
            position = column
            throw error("a repeat is 1 to \(Limits.phases)")
        }
        return times
    }

    private mutating func number() throws(PlanError) -> Int? {
        let column = position
        var value: Int?
        while let digit = peek.flatMap({ Int(digits: String($0)) }) {
            value = (value ?? 0) * 10 + digit
            position += 1
            if let value, value > 1_000_000 {
                position = column
                throw error("this number is too large")
            }
        }
        return value
    }

    private mutating func check(_ phases: Int, column: Int) throws(PlanError) {
        guard phases > Limits.phases else { return }
        position = column
        throw error("a plan has at most \(Limits.phases) phases")
    }

    private var peek: Character? { position < characters.count ? characters[position] : nil }

    private mutating func accept(_ character: Character) -> Bool {
        skipSpaces()
        guard peek == character else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while peek == " " || peek == "\t" { position += 1 }
    }

    private func error(_ message: String) -> PlanError { PlanError(column: position + 1, message: message) }
}
