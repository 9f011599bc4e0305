// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Session
import Settings
import Support
import Testing

@testable import Calm

/// The files from which the calm service restores its states.
@Suite(.timeLimit(.minutes(15))) struct CalmStateFilesTests {
    private let directory: TemporaryDirectory
    private let space = SpaceID.home
    private let threshold = Threshold(level: 450)
    private let now: BootTime = 1_000_000

    init() throws { directory = try TemporaryDirectory() }

    private func files(boot: String = "b-1") throws -> CalmStateFiles {
        CalmStateFiles(
            directory: try StateDirectory(directory.file("state")), bootID: try #require(BootID(boot)),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private var path: String { directory.file("state/home.calm") }

    /// Adds a second of a level, in memory and in the file.
    private func hear(_ level: Int, at time: BootTime, in state: inout CalmState, _ file: inout CalmStateFile) {
        let sample = TimedLevel(source: "mic of the hall", from: time, period: 1_000, level: level)
        state.meter.add(sample, at: time)
        file.append(sample, at: time)
    }

    @Test func flushedSamplesAreRestored() throws {
        var state: CalmState
        do {
            let files = try files()
            var file: CalmStateFile
            (file, state) = files.open(space, threshold: threshold)
            for second in 0..<5 { hear(300 + Int(second), at: now + .seconds(Int64(second)), in: &state, &file) }
            files.writePending(&file)
        }
        let (_, found) = try files().open(space, threshold: threshold)
        #expect(found == state)
        #expect(found.meter.level(at: now + 4_500) == 304)
    }

    @Test func tornLineIsIgnored() throws {
        var state: CalmState
        do {
            let files = try files()
            var file: CalmStateFile
            (file, state) = files.open(space, threshold: threshold)
            hear(300, at: now, in: &state, &file)
            files.writePending(&file)
        }
        let descriptor = open(path, O_WRONLY | O_APPEND)
        let torn = Array("s 1001000 1000 99".utf8)
        #expect(write(descriptor, torn, torn.count) == torn.count)
        close(descriptor)
        let (_, found) = try files().open(space, threshold: threshold)
        #expect(found == state)
    }

    @Test func unreadableFileIsReplaced() throws {
        _ = try files()
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        #expect(write(descriptor, "no JSON\n", 8) == 8)
        close(descriptor)
        let (_, found) = try files().open(space, threshold: threshold)
        #expect(found == CalmState(threshold: threshold))
    }

    @Test func newThresholdAppliesToLaterSamples() throws {
        do {
            let files = try files()
            var (file, state) = files.open(space, threshold: threshold)
            hear(300, at: now, in: &state, &file)
            files.writePending(&file)
        }
        let (_, found) = try files().open(space, threshold: Threshold(level: 200))
        #expect(found.meter.threshold.level == 200)
    }

    @Test func largeFileIsRewritten() throws {
        let files = try files()
        var (file, state) = files.open(space, threshold: threshold)
        var largest: off_t = 0
        for second in 0..<4_000 {
            hear(300, at: now + .seconds(Int64(second)), in: &state, &file)
            if file.hasManyPending { files.writePending(&file, state: state) }
            var status = stat()
            stat(path, &status)
            largest = max(largest, status.st_size)
        }
        files.writePending(&file)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(largest > 64 << 10, "it has grown beyond the limit once")
        #expect(status.st_size < largest)
        #expect(files.open(space, threshold: threshold).1 == state)
    }
}
