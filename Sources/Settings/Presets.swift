// SPDX-License-Identifier: Apache-2.0

package import API
import Platform

/// Plans by name, from a file of lines `name = plan` or `name = plan | alarm, overtime`.
package struct Presets: Sendable {
    /// All presets, in the order in which displays offer them: those of the file first.
    package let all: [Preset]

    /// The built-in presets, which `Config/presets` lists.
    static let builtIn: KeyValuePairs = [
        "pomodoro": "(focus 25m, shortBreak 5m) x3, focus 25m, longBreak 15m",
        "deep": "focus 50m, shortBreak 10m",
        "tabata": "work 20s x8 / rest 10s",
        "intervals": "work 40s x8 / rest 20s",
        "meditation": "phase \"Arrive\" 2m, phase \"Breathe\" 10m",
    ]

    package init() { all = Self.builtIn.compactMap { try? Self.preset($0, $1) } }

    /// Reads a file whose presets are added to the built-in ones; `#` begins a comment.
    /// - Throws: ``ValueError`` that names file, line and column.
    package init(file path: String) throws(ValueError) {
        var own: [Preset] = []
        let text: String
        do throws(FileError) {
            text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        } catch {
            throw ValueError(error.description)
        }
        for (index, line) in text.settingLines.enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.first == "#" { continue }
            let parts = line.split(separator: "=", maxSplits: 1)
            let name = parts.first.map { String($0.trimmed) } ?? ""
            guard parts.count == 2, !name.isEmpty else {
                throw ValueError("\(path), line \(index + 1): “\(line)” is not of the form name = plan")
            }
            do throws(ValueError) {
                let preset = try Self.preset(name, String(parts[1].trimmed))
                // The last line of a name counts, in the place of the first one.
                if let index = own.firstIndex(where: { $0.name == name }) {
                    own[index] = preset
                } else {
                    own.append(preset)
                }
            } catch {
                throw ValueError("\(path), line \(index + 1), plan of \(name), \(error)")
            }
        }
        all = own + Presets().all.filter { preset in !own.contains { $0.name == preset.name } }
    }

    /// Reads a plan, and the words after a bar outside of quotes.
    private static func preset(_ name: String, _ text: String) throws(ValueError) -> Preset {
        var isQuoted = false
        let bar = text.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "|" && !isQuoted
        }
        let words = text[(bar ?? text.endIndex)...].dropFirst()
        let extras = words.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed) }
        if bar != nil, let unknown = extras.first(where: { !["alarm", "overtime"].contains($0) }) {
            throw ValueError("“\(unknown)” after the bar is neither alarm nor overtime, as in: 3m | alarm, overtime")
        }
        do throws(PlanError) {
            return Preset(
                name: name, plan: try PlanParser.phases(of: String(text[..<(bar ?? text.endIndex)].trimmed)),
                hasAlarm: extras.contains("alarm"), hasOvertime: extras.contains("overtime"))
        } catch {
            throw ValueError("\(error)")
        }
    }
}
