// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(5))) struct PresetsTests {
    @Test func builtInPresetsEqualTheShippedFile() throws {
        var shipped: [String: String] = [:]
        for line in try Project.read("Config/presets").split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1).map { String($0.trimmed) }
            shipped[parts[0]] = parts[1]
        }
        #expect(shipped == Dictionary(uniqueKeysWithValues: Presets.builtIn.map { ($0.key, $0.value) }))
        #expect(Presets().names == Presets.builtIn.map(\.key).sorted(), "each of them can be read")
    }

    @Test func fileOverridesBuiltInPresets() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("# mine\n\n deep = focus 1h \nreading=focus 10m, shortBreak 1m\n", to: "presets")
        let presets = try Presets(file: file)
        #expect(presets["deep"] == [Phase(kind: .focus, seconds: 3_600)])
        #expect(presets["reading"]?.count == 2)
        #expect(presets["tabata"]?.count == 16)
        #expect(presets["nonesuch"] == nil)
        #expect(presets.all.map(\.name) == ["deep", "reading", "pomodoro", "tabata", "intervals", "meditation"])
    }

    @Test(arguments: [
        ("hello", "line 1"), ("\nx =", "line 2"), ("= focus 5m", "line 1"), ("x = focus 5m, nap 3m", "column 11"),
    ])
    func invalidLineIsNamed(text: String, names: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "presets")
        do throws(BadValue) {
            _ = try Presets(file: file)
            Issue.record("no error")
        } catch {
            #expect(error.description.contains(file))
            #expect(error.description.contains(names), "\(error)")
        }
    }

    @Test func missingFileIsNamed() {
        #expect(throws: BadValue("cannot read /nonexistent/presets: No such file or directory")) {
            try Presets(file: "/nonexistent/presets")
        }
    }
}
