// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Shell

struct ListenBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "What a microphone of 48,000 samples a second costs.",
        discussion: """
            It runs the lockstep-calm that stands beside this program on noise of 48,000 samples of 16 bits a second, and \
            counts the processor time of its threads and its resident memory. The recorder itself, here a program that \
            makes up numbers, is not counted.
            """
    )

    @Option(help: "For how long.")
    var seconds = 30

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard seconds > 0 else { throw ValidationError("--seconds is 1 or more") }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }

    func measure() async throws -> [Figure] {
        try await Workplace.withBroker { broker, directory in
            // It comes as fast as it is read, in the pieces that a pipe holds; the pace is the listener's.
            let process = try Child.start(
                "lockstep-calm",
                [
                    "listen", "--broker", "\(broker)", "--space", "bench", "--node", "desk", "--state-dir",
                    directory + "/calm", "--config", "/dev/null", "--recorder", "exec cat /dev/urandom",
                ])
            do {
                // What belongs to the start is over by then.
                try await Task.sleep(for: .seconds(3))
                let share = try await ProcessUse.share(of: process, seconds: seconds, saying: "listen")
                let figures = [
                    Figure("listen at 48 kHz, processor", share, "% of a core", atMost: 1),
                    Figure("listen at 48 kHz, resident memory", try ProcessUse.resident(process), "MB", atMost: 20),
                ]
                await Child.end(process)
                return figures
            } catch {
                await Child.end(process)
                throw error
            }
        }
    }
}
