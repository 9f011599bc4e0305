// SPDX-License-Identifier: Apache-2.0

/// A trace that is kept as a test, with its header. The header states the cause (`# went wrong: …`) and the mutant
/// that fails in the trace (`# rule: …`). A line that begins with `#` and two spaces continues the line before it.
package struct KeptTrace: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file without `.trace`.
    package var name: String
    package var scenario: Scenario
    package private(set) var cause = ""
    /// The mutant's name, or `none, ` and a reason.
    package private(set) var rule = ""

    package init(name: String, text: String) throws(TraceError) {
        self.name = name
        scenario = try Scenario(text: text)
        var field: WritableKeyPath<KeptTrace, String>?
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# went wrong: ") {
                (field, cause) = (\.cause, String(line.dropFirst(14)))
            } else if line.hasPrefix("# rule: ") {
                (field, rule) = (\.rule, String(line.dropFirst(8)))
            } else if line.hasPrefix("#  "), let field {
                self[keyPath: field] += " " + line.drop { $0 == "#" || $0 == " " }
            } else {
                field = nil
            }
        }
    }

    package var description: String { name }
    /// Whether the trace was made for a mutant, not for a bug that was found.
    package var isForMutant: Bool { name.hasPrefix("mutant-") }
    /// Whether the header states a reason to keep a trace that no mutant fails in.
    package var isWithoutRule: Bool { rule.hasPrefix("none, kept because ") }
    package var mutant: Mutant? { Mutant.all.first { $0.name == rule } }

    /// Replays the trace under its mutant. Returns `nil` if it names none, or if the trace is stale.
    package func violationUnderMutant() -> Violation? { mutant.flatMap { scenario.run(under: $0).violation } }
}
