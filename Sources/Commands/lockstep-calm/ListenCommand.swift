// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Calm
import Settings

/// `lockstep-calm listen`: publishes the level of a microphone.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Listen to a microphone, and publish its level once a second.",
        discussion: """
            The sound is recorded by pw-record, parec or arecord, whichever is installed and works, or by a command of your \
            own, or read from standard input with --recorder -. WAV and AU streams are detected; other bytes are read by \
            --format, --rate and --channels. A recorder that ends is started again. The sound stays in this process: it is \
            not written anywhere, and only one number a second is published.
            """
    )

    @OptionGroup var options: CalmOptions

    @Option(
        help: "A command for /bin/sh that writes sound to its output, or - for standard input. LOCKSTEP_CALM_RECORDER")
    var recorder: String?

    @Option(
        help: "The encoding of a sample: u8, s8, s16, s24, s32, f32 or f64 (default: s16). LOCKSTEP_CALM_FORMAT")
    var format: String?

    @Option(help: "Samples a second (default: 48000). LOCKSTEP_CALM_RATE")
    var rate: String?

    @Option(help: "Channels; the loudest counts (default: 1). LOCKSTEP_CALM_CHANNELS")
    var channels: String?

    @Option(
        parsing: .unconditional,
        help:
            "The sound pressure level of a full-scale sine in decibels; 0 for levels below full scale (default: 110). LOCKSTEP_CALM_CALIBRATION"
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
        settings.common.prepareProcess()
        try await ListenProcess.run(settings, isPrinted: print)
    }
}
