// SPDX-License-Identifier: Apache-2.0

import API
import Settings

extension PlanParser {
    /// Reads the duration of an option or a command, whose name begins an error. Returns its seconds.
    /// - Parameter rule: Says which lengths are valid, if it is not that of a phase.
    static func seconds(of text: String, option name: String, rule: String? = nil) throws(UsageError) -> Int {
        do throws(PlanError) {
            return try seconds(of: text)
        } catch {
            if let rule, error.message == lengthRule { throw UsageError("\(name) “\(text)”: \(rule)") }
            if let minutes = Int(text), minutes > 0, text.allSatisfy(\.isNumber) {
                throw UsageError("\(name) “\(text)”: the unit is missing, h, m or s; did you mean \(minutes)m?")
            }
            throw UsageError("\(name) “\(text)”: \(error)")
        }
    }

    /// Returns a number of seconds as the plan grammar writes it: `1h30m`.
    static func text(ofSeconds seconds: Int) -> String {
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")].filter { $0.0 > 0 }
        return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined()
    }
}
