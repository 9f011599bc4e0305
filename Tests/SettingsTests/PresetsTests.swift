// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct PresetsTests {
    @Test func builtInPresetsEqualTheShippedFile() throws {
        var shipped: [String: String] = [:]
        for line in try Project.read("Config/presets").split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1).map { String($0.trimmed) }
            shipped[parts[0]] = parts[1]
        }
        #expect(shipped == Dictionary(uniqueKeysWithValues: Presets.builtIn.map { ($0.key, $0.value) }))
        #expect(Presets().all.map(\.name) == Presets.builtIn.map(\.key), "each of them can be read")
    }

    @Test func fileOverridesBuiltInPresets() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("# mine\n\n deep = focus 1h \nreading=focus 10m, shortBreak 1m\n", to: "presets")
        let presets = try Presets(file: file)
        #expect(presets.all[0] == Preset(name: "deep", plan: [Phase(kind: .focus, seconds: 3_600)]))
        #expect(presets.all[1].plan.count == 2)
        #expect(presets.all[3].plan.count == 16)
        #expect(presets.all.map(\.name) == ["deep", "reading", "pomodoro", "tabata", "intervals", "meditation"])
    }

    @Test func presetCanHaveAnAlarmAndOvertime() throws {
        let directory = try TemporaryDirectory()
        let lines = "tea = phase \"Tea | alarm\" 3m|alarm\ndesk = focus 25m | overtime , alarm\nx = 5m | overtime\n"
        let presets = try Presets(file: try directory.write(lines, to: "presets"))
        let tea = Phase(kind: .phase, name: "Tea | alarm", seconds: 180)
        #expect(presets.all[0] == Preset(name: "tea", plan: [tea], hasAlarm: true))
        #expect(presets.all.prefix(3).map(\.hasAlarm) == [true, true, false])
        #expect(presets.all.prefix(3).map(\.hasOvertime) == [false, true, true])
        #expect(presets.all.first { $0.name == "deep" }?.hasAlarm == false)
    }

    @Test(arguments: [
        ("hello", "line 1"), ("\nx =", "line 2"), ("= focus 5m", "line 1"), ("x = focus 5m, nap 3m", "column 11"),
        ("x = focus 5m | bell", "“bell” after the bar"), ("x = 5m | alarm overtime", "“alarm overtime” after"),
        ("x = focus 5m |", "“” after"), ("x = 5m | alarm, ", "“” after"), ("x = nap 3m | alarm", "column 1"),
        ("x = | alarm", "line 1"), ("x = 5m | alarm | overtime", "“alarm | overtime” after"),
    ])
    func invalidLineIsNamed(text: String, names: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "presets")
        do throws(ValueError) {
            _ = try Presets(file: file)
            Issue.record("no error")
        } catch {
            #expect(error.description.contains(file))
            #expect(error.description.contains(names), "\(error)")
        }
    }

    @Test func missingFileIsNamed() {
        #expect(throws: ValueError("cannot read /nonexistent/presets: No such file or directory")) {
            try Presets(file: "/nonexistent/presets")
        }
    }
}
