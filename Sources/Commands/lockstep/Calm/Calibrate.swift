// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Calm
import Commands
import FoundationEssentials
import Glibc
import Shell
import Subprocess
import SystemPackage
import Wire

/// `lockstep calm calibrate`: what quiet sounds like here.
struct Calibrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Listens to the quiet room, and suggests a threshold.",
        discussion: """
            Without a broker it listens to this machine's microphone, as lockstep-calm listen does; with one (--broker, \
            LOCKSTEP_BROKER) it hears what the microphones and sensors of the space publish.
            """
    )

    @OptionGroup var broker: BrokerOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "For how long it is quiet: 5 to 600 seconds.")
    var seconds = 20

    @Option(
        help:
            "A command that writes sound to its output, or - for standard input (default: a recorder of this machine).")
    var recorder: String?

    @Option(
        parsing: .unconditional,
        help: "The sound pressure of a sine of full scale in decibels, as for lockstep-calm listen.")
    var calibration: String?

    @Option(help: "A sensor's topic.")
    var topic: String?

    @Option(help: "The file with settings of lockstep-calm.")
    var config: String?

    /// For so long a first level is waited for.
    private static let patience = Duration.seconds(15)

    func validate() throws {
        guard (5...600).contains(seconds) else { throw ValidationError("--seconds is 5 to 600") }
    }

    func run() async throws {
        say("Be quiet for \(seconds) seconds: no talking, no typing, everything on that is always on.")
        let heard = try await levels()
        Self.clear()
        guard let threshold = heard.threshold, heard.count >= 3 else {
            CommandLineRunner.say("lockstep: no level was heard; is there a microphone, and a calm service's broker?")
            throw ExitStatus.noAnswer.code
        }
        let report = CalibrationReport(heard, threshold: threshold)
        if output.json { return print(Report.json(report)) }
        print(
            """
            The quiet room: \(report.quietest) to \(report.loudest) dB, mostly \(report.median) dB.
            A good threshold is \(threshold) dB. In calm.env of the machine with the calm service:
            \(report.setting)
            """)
    }

    private var arguments: [String] {
        var arguments = isOfSpace ? ["levels"] + broker.arguments : ["listen", "--print"]
        if let config { arguments += ["--config", config] }
        if isOfSpace {
            if let topic { arguments += ["--topic", topic] }
        } else {
            if let recorder { arguments += ["--recorder", recorder] }
            if let calibration { arguments += ["--calibration", calibration] }
        }
        return arguments
    }

    private var isOfSpace: Bool {
        recorder == nil
            && (broker.values.isGiven(.broker)
                || ProcessInfo.processInfo.environment["LOCKSTEP_BROKER"]?.isEmpty == false)
    }

    /// What `lockstep-calm` prints until there is enough of it, it ends, or nothing comes.
    private func levels() async throws -> Calibration {
        let wanted = seconds
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
        let result = try await Subprocess.run(
            .path(FilePath(Sibling.path(of: "lockstep-calm"))), arguments: Arguments(arguments),
            platformOptions: options,
            input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false), output: .sequence,
            error: .currentStandardError
        ) { execution in
            let heard = await withTaskGroup(of: Calibration?.self) { group in
                group.addTask { await Self.collect(execution.standardOutput, wanted) }
                group.addTask {
                    try? await Task.sleep(for: Self.patience + .seconds(wanted))
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
        var pending: [UInt8] = []
        let clock = ContinuousClock()
        var first: ContinuousClock.Instant?
        do {
            for try await buffer in output {
                buffer.withUnsafeBytes { pending += $0 }
                while let end = pending.firstIndex(of: 10) {
                    let line = Array(pending[..<end])
                    pending.removeSubrange(...end)
                    guard let level: LevelLine = try? ReportJSON.decode(from: line) else { continue }
                    heard.take(Int((level.level * 10).rounded()))
                    first = first ?? clock.now
                    let passed = clock.now - (first ?? clock.now)
                    draw(level.level, left: max(0, wanted - Int(passed.components.seconds)), heard)
                    // Sound from a file comes faster than it was made; several microphones say more than one a second.
                    let isFast = passed < .seconds(1) && heard.count >= wanted
                    if isFast || passed >= .seconds(wanted - 1) { return heard }
                }
            }
        } catch {}
        return heard
    }

    private func say(_ line: String) { if output.json { CommandLineRunner.say(line) } else { print(line) } }

    // MARK: The bar

    private static let isShown = isatty(STDERR_FILENO) == 1

    private static func draw(_ level: Double, left: Int, _ heard: Calibration) {
        guard isShown, let quietest = heard.level(at: 0) else { return }
        let columns = Int(min(max(level - Double(quietest) / 10 + 5, 0), 40))
        let bar = String(repeating: "█", count: columns) + String(repeating: "░", count: 40 - columns)
        write("\r\u{1B}[K\(bar) \(level) dB, \(left) s")
    }

    private static func clear() { if isShown { write("\r\u{1B}[K") } }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// What `lockstep calm calibrate --json` prints; levels in decibels.
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
