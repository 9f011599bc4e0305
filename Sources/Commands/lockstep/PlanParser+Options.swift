// SPDX-License-Identifier: Apache-2.0

import API
import Settings

extension PlanParser {
    /// Reads the duration of an option or a command, in seconds. An error begins with `name`.
    /// - Parameter rule: Says which lengths are valid, if it is not that of a phase.
    static func seconds(of text: String, option name: String, rule: String? = nil) throws(UsageError) -> Int {
        do throws(PlanError) {
            return try seconds(of: text)
        } catch {
            if let rule, error.message == lengthRule { throw UsageError("\(name) “\(text)”: \(rule)") }
            let forms = text.count { $0 == ":" } > 1 ? [] : ["h", "m"].compactMap { form(of: text, colon: $0) }
            guard let first = forms.first, let last = forms.last else {
                throw UsageError("\(name) “\(text)”: \(error)")
            }
            let meant = first == last ? first : "\(first) or \(last)"
            throw UsageError("\(name) “\(text)”: the units are h, m and s; did you mean \(meant)?")
        }
    }

    /// Returns a duration that a text resembles: `90m` for `90 min`, `1h30m` for `1h30`; `nil` if there is none.
    /// - Parameter colon: The unit that a colon stands for.
    private static func form(of text: String, colon: String) -> String? {
        var rest = text.lowercased().replacing(":", with: colon).filter { $0 != " " && $0 != "-" }[...]
        var form = ""
        while !rest.isEmpty {
            let number = rest.prefix(while: \.isNumber)
            let unit = rest.dropFirst(number.count).prefix { !$0.isNumber }
            rest = rest[unit.endIndex...]
            form += number + (unit.first.map(String.init) ?? (form.hasSuffix("m") ? "s" : "m"))
        }
        return (try? seconds(of: form)).map { _ in form }
    }

    /// Returns a number of seconds as the plan grammar writes it: `1h30m`.
    static func text(ofSeconds seconds: Int) -> String {
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")].filter { $0.0 > 0 }
        return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined()
    }
}
