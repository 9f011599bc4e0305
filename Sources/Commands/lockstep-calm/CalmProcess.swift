// SPDX-License-Identifier: Apache-2.0

import Commands
import Logging
import Mosquitto
import Session
import Shell
import UnixSignals

/// The service as a process, from its settings to a signal.
struct CalmProcess {
    let settings: CalmSettings

    func run() async throws {
        let start = try ServiceStart(settings.node, isEverySpace: settings.isEverySpace, of: "calm service")
        let log = Logger(label: "lockstep-calm")
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint])
        try await EventLoop.withEventLoop(name: "calm") { loop in
            let service = CalmService(
                settings: settings, files: RoomFiles(directory: start.directory, bootID: start.bootID, log: log),
                bootID: start.bootID, loop: loop, log: log)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [link = start.link] in try await service.run(link) }
                group.addTask {
                    for await _ in signals { break }
                    Readiness.notify("STOPPING=1")
                    await service.goOffline()
                }
                Readiness.notify("READY=1")
                log.info(
                    "ready",
                    metadata: [
                        "space": "\(settings.isEverySpace ? "+" : "\(settings.node.space)")",
                        "broker": "\(settings.node.broker?.description ?? "")",
                    ])
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}
