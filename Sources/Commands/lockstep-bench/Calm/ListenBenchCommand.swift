// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

struct ListenBenchCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Measure the cost of a microphone of 48,000 samples a second.",
        discussion: """
            It runs the lockstep-calm in the folder of this program on noise of 48,000 samples of 16 bits per second, and \
            measures the processor time of its threads and its resident memory, without the recorder's.
            """
    )

    @Option(help: "For how long.")
    var seconds = 30

    @OptionGroup var output: OutputOptions

    func validate() throws { try require(seconds > 0, "--seconds is 1 or more") }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            // The recorder is as fast as its reader, which sets the pace.
            try await Child.with(
                "lockstep-calm",
                [
                    "listen", "--broker", "\(broker)", "--space", "bench", "--node", "desk", "--state-dir",
                    directory + "/calm", "--config", "/dev/null", "--recorder", "exec cat /dev/urandom",
                ]
            ) { process in
                // Until the start is over.
                try await Task.sleep(for: .seconds(3))
                let share = try await ProcessUse.share(of: process, seconds: seconds, saying: "listen")
                return [
                    Figure("listen at 48 kHz, processor", share, "% of a core", atMost: 1),
                    Figure("listen at 48 kHz, resident memory", try ProcessUse.resident(process), "MB", atMost: 20),
                ]
            }
        }
    }
}
