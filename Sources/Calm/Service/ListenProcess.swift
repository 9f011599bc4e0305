// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Runtime
import Session
import Settings
import UnixSignals

/// The command `lockstep-calm listen`, which turns a recorder's bytes into sound levels.
package enum ListenProcess {
    /// Publishes levels, or prints them as lines of JSON, until SIGTERM, SIGINT or the end of standard input.
    package static func run(_ settings: CalmSettings, isPrinted: Bool) async throws {
        let log = Logger(label: "lockstep-calm")
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint])
        let recorder = try RecorderLoop(settings: settings, isPaced: !isPrinted, log: log)
        let source = settings.common.node.rawValue
        if isPrinted {
            try await listen(recorder, until: signals) { level in
                if !LevelPrinter.print(level, of: source) { recorder.stop() }
            }
            return
        }
        guard
            let configuration = settings.common.brokerConfiguration(
                clientID: "lockstep-\(settings.common.space)-\(source)-sound")
        else {
            throw SettingError("levels go to a broker: --broker mqtt://host, or LOCKSTEP_BROKER; or --print them")
        }
        try await EventLoop.withEventLoop(name: "listen") { loop in
            let publisher = LevelPublisher(settings: settings, loop: loop, log: log)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await publisher.run(configuration) }
                group.addTask {
                    try await listen(recorder, until: signals) { level in publisher.publish(level) }
                    await publisher.close()
                }
                defer { recorder.stop() }
                try await group.next()
            }
        }
    }

    private static func listen(
        _ recorder: RecorderLoop, until signals: UnixSignalsSequence, _ report: @escaping @Sendable (Int) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run(report) }
            group.addTask {
                for await _ in signals { break }
                recorder.stop()
            }
            try await group.next()
            group.cancelAll()
        }
    }
}
