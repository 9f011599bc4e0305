// SPDX-License-Identifier: Apache-2.0

public import Session

/// Plans by name, from a file of `name = plan` lines.
public struct Presets: Sendable {
    private var plans: [String: [Phase]] = [:]

    /// The presets that are there without a file; `Config/presets` lists them.
    static let builtIn = [
        "pomodoro": "(focus 25m, shortBreak 5m) x3, focus 25m, longBreak 15m",
        "deep": "focus 50m, shortBreak 10m",
        "tabata": "work 20s x8 / rest 10s",
        "intervals": "work 40s x8 / rest 20s",
        "meditation": "phase \"Arrive\" 2m, phase \"Breathe\" 10m",
    ]

    /// The presets that are there without a file.
    public init() {
        plans = Self.builtIn.compactMapValues { try? PlanGrammar.phases(of: $0) }
    }

    /// Reads a file, whose presets come on top of those that are there without one; `#` begins a comment.
    /// - Throws: ``BadValue`` that names file, line and column.
    public init(file path: String) throws(BadValue) {
        self.init()
        let text: String
        do throws(FileError) {
            text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        } catch {
            throw BadValue(error.description)
        }
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.first == "#" { continue }
            let parts = line.split(separator: "=", maxSplits: 1)
            let name = parts.first.map { String($0.trimmed) } ?? ""
            guard parts.count == 2, !name.isEmpty else {
                throw BadValue("\(path), line \(index + 1): “\(line)” is not of the form name = plan")
            }
            do throws(PlanError) {
                plans[name] = try PlanGrammar.phases(of: String(parts[1].trimmed))
            } catch {
                throw BadValue("\(path), line \(index + 1), plan of \(name), \(error)")
            }
        }
    }

    /// The names, sorted.
    public var names: [String] { plans.keys.sorted() }

    /// The plan of that name.
    public subscript(name: String) -> [Phase]? { plans[name] }
}
