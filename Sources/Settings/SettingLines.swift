// SPDX-License-Identifier: Apache-2.0

package import Session

/// The text of a settings file that systemd's `EnvironmentFile=` and ``SettingValues`` read alike.
package struct SettingLines: Sendable {
    package private(set) var text: String

    package init(comment: LineText) { text = "# \(comment)\n" }

    /// Adds a setting.
    /// - Throws: ``ValueError`` for a value that a reader would change: quotes, a backslash, or blanks around it.
    package mutating func add(_ name: LineText, _ value: LineText) throws(ValueError) {
        let value = value.description
        guard !value.contains(where: { "\"'\\".contains($0) }), value.first?.isWhitespace != true,
            value.last?.isWhitespace != true
        else {
            throw ValueError("a setting cannot hold quotes, a backslash, or blanks around it: \(name)=\(value)")
        }
        text += "\(name)=\(value)\n"
    }

    package mutating func add(_ setting: Setting, _ value: LineText) throws(ValueError) {
        try add(LineText(showing: setting.rawValue), value)
    }

    package static func value(path: String) throws(ValueError) -> LineText {
        guard let line = LineText(line: path) else {
            throw ValueError("a setting cannot hold this path: \(LineText(showing: path))")
        }
        return line
    }
}

extension LineText.Interpolation {
    package mutating func appendInterpolation(_ role: MemberRole) {
        appendInterpolation(LineText(showing: role.rawValue))
    }
}
