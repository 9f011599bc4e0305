// SPDX-License-Identifier: Apache-2.0

import API
import Platform
package import Session

/// Plans by name, from a file of `name = plan` lines.
package struct Presets: Sendable {
    private var plans: [String: [Phase]] = [:]
    /// The names in the order in which displays offer them: those of the file first.
    private var order: [String]

    /// The built-in presets, which `Config/presets` lists.
    static let builtIn: KeyValuePairs = [
        "pomodoro": "(focus 25m, shortBreak 5m) x3, focus 25m, longBreak 15m",
        "deep": "focus 50m, shortBreak 10m",
        "tabata": "work 20s x8 / rest 10s",
        "intervals": "work 40s x8 / rest 20s",
        "meditation": "phase \"Arrive\" 2m, phase \"Breathe\" 10m",
    ]

    /// Creates the built-in presets.
    package init() {
        order = Self.builtIn.map(\.key)
        for (name, plan) in Self.builtIn { plans[name] = try? PlanGrammar.phases(of: plan) }
    }

    /// Reads a file whose presets are added to the built-in ones; `#` begins a comment.
    /// - Throws: ``BadValue`` that names file, line and column.
    package init(file path: String) throws(BadValue) {
        self.init()
        var own: [String] = []
        let text: String
        do throws(FileError) {
            text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        } catch {
            throw BadValue(error.description)
        }
        for (index, line) in text.settingLines.enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.first == "#" { continue }
            let parts = line.split(separator: "=", maxSplits: 1)
            let name = parts.first.map { String($0.trimmed) } ?? ""
            guard parts.count == 2, !name.isEmpty else {
                throw BadValue("\(path), line \(index + 1): “\(line)” is not of the form name = plan")
            }
            do throws(PlanError) {
                plans[name] = try PlanGrammar.phases(of: String(parts[1].trimmed))
                own.append(name)
            } catch {
                throw BadValue("\(path), line \(index + 1), plan of \(name), \(error)")
            }
        }
        own = own.enumerated().filter { !own[..<$0.offset].contains($0.element) }.map(\.element)
        order = own + order.filter { !own.contains($0) }
    }

    /// All presets, in the order in which displays offer them.
    package var all: [(name: String, plan: [Phase])] { order.compactMap { name in plans[name].map { (name, $0) } } }

    package var names: [String] { plans.keys.sorted() }

    package subscript(name: String) -> [Phase]? { plans[name] }
}
