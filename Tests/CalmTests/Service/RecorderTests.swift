// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@testable import Calm

@Suite(.timeLimit(.minutes(15))) struct RecorderTests {
    private func choose(_ given: [String: String]) throws -> [Recorder] {
        var values = SettingValues()
        try values.fill(environment: given)
        return try Recorder.candidates(for: CalmSettings(values, for: .microphone, environment: ["HOME": "/home/ada"]))
    }

    @Test func dashMeansStandardInput() throws {
        #expect(try choose(["LOCKSTEP_CALM_RECORDER": "-"]) == [.standardInput])
    }

    @Test func shellRunsTheCommand() throws {
        let recorders = try choose(["LOCKSTEP_CALM_RECORDER": "cat file.wav"])
        #expect(recorders == [.command(["/bin/sh", "-c", "cat file.wav"])])
        #expect(recorders.map(\.description) == ["the recorder"])
    }

    @Test func formatNeedsARecorderSetting() {
        #expect(throws: SettingError.self) { try choose(["LOCKSTEP_CALM_FORMAT": "f32"]) }
    }
}
