// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import FoundationEssentials
import Platform
import Settings
import Subprocess
import SystemPackage

/// `lockstep calm calibrate`: suggests a threshold for a quiet room.
struct CalibrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "Listen to the quiet room, and suggest a threshold.",
        discussion: """
            Without a broker it listens to this machine's microphone, as lockstep-calm listen does; with --broker or \
            LOCKSTEP_BROKER it uses the levels that microphones and sensors of the space publish.
            """
    )

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "How long to listen: 5 to 600 seconds.")
    var seconds = 20

    @Option(help: "A command that prints sound, or - for standard input (default: a recorder of this machine).")
    var recorder: String?

    @Option(
        parsing: .unconditional,
        help: "The sound pressure of a sine of full scale in decibels, as for lockstep-calm listen.")
    var calibration: String?

    @Option(help: "A sensor's topic.")
    var topic: String?

    @Option(help: "The file with settings of lockstep-calm.")
    var config: String?

    /// How long to wait for the first level, beyond the time to listen.
    private static let timeout = Duration.seconds(15)

    func validate() throws {
        guard (5...600).contains(seconds) else { throw ValidationError("--seconds is 5 to 600") }
    }

    func run() async throws {
        let request = "Be quiet for \(seconds) seconds: no talking, no typing; leave on what is always on."
        if output.json { CommandLineRunner.say(request) } else { print(request) }
        let heard = try await levels()
        ProgressLine.show("")
        guard let threshold = heard.threshold, heard.count >= 3 else {
            throw ExitStatus.noAnswer.printing(
                "no level was measured; is there a microphone, or a broker with a calm service?")
        }
        let report = CalibrationReport(heard, threshold: threshold)
        if output.json { return print(CommandOutput.json(report)) }
        print(
            """
            The quiet room: \(report.quietest) to \(report.loudest) dB, mostly \(report.median) dB.
            A good threshold is \(threshold) dB. In calm.env of the machine with the calm service:
            \(report.setting)
            """)
    }

    private var arguments: [String] {
        usesSpace
            ? ["levels"] + broker.arguments + .options(["--config": config, "--topic": topic])
            : ["listen", "--print"]
                + .options(["--config": config, "--recorder": recorder, "--calibration": calibration])
    }

    /// Whether to use the levels that the space publishes, and not a recorder.
    private var usesSpace: Bool {
        recorder == nil
            && (broker.values.isGiven(.broker)
                || ProcessInfo.processInfo.environment["LOCKSTEP_BROKER"]?.isEmpty == false)
    }

    private func levels() async throws -> Calibration {
        let wanted = seconds
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
        let result = try await Subprocess.run(
            .path(FilePath(CompanionExecutable.path(of: "lockstep-calm"))), arguments: Arguments(arguments),
            platformOptions: options,
            input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false), output: .sequence,
            error: .currentStandardError
        ) { execution in
            let heard = await withTaskGroup(of: Calibration?.self) { group in
                group.addTask { await Self.collect(execution.standardOutput, wanted) }
                group.addTask {
                    try? await Task.sleep(for: Self.timeout + .seconds(wanted))
                    return nil
                }
                let heard = await group.next() ?? nil
                group.cancelAll()
                return heard
            }
            await execution.teardown(using: [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))])
            return heard ?? Calibration()
        }
        return result.closureResult
    }

    private static func collect(_ output: SubprocessOutputSequence, _ wanted: Int) async -> Calibration {
        var heard = Calibration()
        var first: Int64?
        do {
            for try await line in output.strings() {
                guard let level: LevelLine = try? ReportJSON.decode(from: Array(line.utf8)) else { continue }
                heard.add(Int((level.level * 10).rounded()))
                let now = SystemClock.bootMilliseconds()
                let passed = now - (first ?? now)
                first = now - passed
                draw(level.level, left: max(0, wanted - Int(passed / 1_000)), heard)
                // Sound from a file is faster than real time, so the levels are counted. Else the time counts, since
                // several microphones publish several levels a second.
                let isFast = passed < 1_000 && heard.count >= wanted
                if isFast || passed >= Int64(wanted - 1) * 1_000 { return heard }
            }
        } catch {}
        return heard
    }

    private static func draw(_ level: Double, left: Int, _ heard: Calibration) {
        guard let quietest = heard.level(at: 0) else { return }
        let columns = Int(min(max(level - Double(quietest) / 10 + 5, 0), 40))
        let bar = String(repeating: "█", count: columns) + String(repeating: "░", count: 40 - columns)
        ProgressLine.show("\(bar) \(level) dB, \(left) s")
    }
}

/// The output of `lockstep calm calibrate --json`; levels in decibels.
struct CalibrationReport: Codable {
    var quietest: Double
    var median: Double
    var loudest: Double
    var levels: Int
    var threshold: Int
    var setting: String

    init(_ heard: Calibration, threshold: Int) {
        quietest = Double(heard.level(at: 0) ?? 0) / 10
        median = Double(heard.level(at: 0.5) ?? 0) / 10
        loudest = Double(heard.level(at: 1) ?? 0) / 10
        levels = heard.count
        self.threshold = threshold
        setting = "LOCKSTEP_CALM_THRESHOLD=\(threshold)"
    }
}
