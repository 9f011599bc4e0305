// SPDX-License-Identifier: Apache-2.0

import Logging
import Settings
import Support
import Synchronization
import Testing

@testable import Calm

/// Recorders that are shell commands.
@Suite(.timeLimit(.minutes(15))) struct RecorderLoopTests {
    /// 8,000 samples of two bytes.
    private static let second = "head -c 16000 /dev/zero"

    private func recorderLoop(_ recorder: String, more: [String: String] = [:]) throws -> RecorderLoop {
        var values = SettingValues()
        let given = ["LOCKSTEP_CALM_RECORDER": recorder, "LOCKSTEP_CALM_RATE": "8000"]
        try values.fill(environment: given.merging(more) { $1 })
        let settings = try CalmSettings(values, for: .microphone, environment: ["HOME": "/home/ada"])
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try RecorderLoop(settings: settings, isPaced: false, log: log)
    }

    private func levels(_ count: Int, of loop: RecorderLoop) async throws -> [Int] {
        let levels = Mutex<[Int]>([])
        try await loop.run { level in
            let isEnough = levels.withLock { levels in
                levels.append(level)
                return levels.count == count
            }
            if isEnough { loop.stop() }
        }
        return levels.withLock(\.self)
    }

    @Test func silenceHasTheLevelOfTheCalibration() async throws {
        let loop = try recorderLoop("\(Self.second) \(Self.second)".replacing(" head", with: "; head"))
        #expect(try await levels(2, of: loop) == [-400, -400], "150 dB below 110 dB")
        let calibrated = try recorderLoop(Self.second, more: ["LOCKSTEP_CALM_CALIBRATION": "0"])
        #expect(try await levels(1, of: calibrated) == [-1_500])
    }

    @Test func endedRecorderIsStartedAgain() async throws {
        let directory = try TemporaryDirectory()
        let loop = try recorderLoop("echo >>\(directory.file("starts")); \(Self.second)")
        #expect(try await levels(2, of: loop).count == 2)
        #expect(directory.read("starts").count == 2, "one second of sound for each start")
    }

    @Test func stopEndsASilentRecorder() async throws {
        let directory = try TemporaryDirectory()
        let loop = try recorderLoop("echo $$ >\(directory.file("pid")); exec sleep 1000")
        async let ended: Void = loop.run { _ in Issue.record("there is no sound") }
        try await eventually("the recorder runs") { directory.read("pid").hasSuffix("\n") }
        loop.stop()
        try await ended
    }

    @Test func stoppedLoopStartsNoRecorder() async throws {
        let directory = try TemporaryDirectory()
        let loop = try recorderLoop("echo >\(directory.file("started")); \(Self.second)")
        loop.stop()
        try await loop.run { _ in Issue.record("there is no sound") }
        #expect(directory.read("started").isEmpty)
    }
}
