// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Calm
import Commands
import Glibc
import Logging
import Mosquitto
import Session
import Shell
import UnixSignals
import Wire

struct Listen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Listens to a microphone, and publishes how loud it is, once a second.",
        discussion: """
            The sound comes from pw-record, parec or arecord, whichever is there and works, or from a command of your own, \
            or with --recorder - from standard input. WAV and AU say themselves what they are; other bytes are read as \
            --format, --rate and --channels say. A recorder that ends is started again. The sound stays in this process: it \
            is not written anywhere, and what is published is one number a second.
            """
    )

    @OptionGroup var options: CalmOptions

    @Option(
        help: "A command for /bin/sh that writes sound to its output, or - for standard input. LOCKSTEP_CALM_RECORDER")
    var recorder: String?

    @Option(
        help: "How a sample stands in bytes: u8, s8, s16, s24, s32, f32 or f64 (default: s16). LOCKSTEP_CALM_FORMAT")
    var format: String?

    @Option(help: "Samples a second (default: 48000). LOCKSTEP_CALM_RATE")
    var rate: String?

    @Option(help: "Channels; the loudest counts (default: 1). LOCKSTEP_CALM_CHANNELS")
    var channels: String?

    @Option(
        parsing: .unconditional,
        help:
            "The sound pressure of a sine of full scale in decibels; 0 to have levels below that (default: 110). LOCKSTEP_CALM_CALIBRATION"
    )
    var calibration: String?

    @Flag(help: "Print the levels as lines of JSON instead of publishing them.")
    var print = false

    func run() async throws {
        let settings = try options.settings(as: .microphone) { values in
            values.set(.calmRecorder, option: "--recorder", to: recorder)
            values.set(.calmFormat, option: "--format", to: format)
            values.set(.calmRate, option: "--rate", to: rate)
            values.set(.calmChannels, option: "--channels", to: channels)
            values.set(.calmCalibration, option: "--calibration", to: calibration)
        }
        LockstepCalm.startLog(settings)
        let log = Logger(label: "lockstep-calm")
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint])
        let ear = try Ear(settings: settings, isPaced: !print, log: log)
        let source = settings.node.node.rawValue
        if print {
            try await Self.hear(ear, until: signals) { level in
                if !LevelPrinter.print(level, of: source) { ear.stop() }
            }
            return
        }
        guard let link = settings.node.link(clientID: "lockstep-\(settings.node.space)-\(source)-sound") else {
            throw UsageError("levels go to a broker: --broker mqtt://host, or LOCKSTEP_BROKER; or --print them")
        }
        try await EventLoop.withEventLoop(name: "listen") { loop in
            let microphone = Microphone(settings: settings, loop: loop, log: log)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await microphone.run(link) }
                group.addTask {
                    try await Self.hear(ear, until: signals) { level in microphone.say(level) }
                    await microphone.close()
                }
                defer { ear.stop() }
                try await group.next()
            }
        }
    }

    private static func hear(
        _ ear: Ear, until signals: UnixSignalsSequence, _ said: @escaping @Sendable (Int) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await ear.run(said) }
            group.addTask {
                for await _ in signals { break }
                ear.stop()
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
