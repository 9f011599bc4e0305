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
        guard settings.node.broker != nil else {
            throw UsageError("the calm service needs a broker: --broker mqtt://host, or LOCKSTEP_BROKER")
        }
        guard let bootID = Clocks.bootID() else { throw UsageError("the kernel's boot id cannot be read") }
        let log = Logger(label: "lockstep-calm")
        let directory: StateDirectory
        do throws(StateDirectoryError) {
            directory = try StateDirectory(settings.node.stateDirectory)
        } catch {
            throw UsageError("\(error)")
        }
        let client =
            settings.isEverySpace
            ? "lockstep-\(settings.node.node)" : "lockstep-\(settings.node.space)-\(settings.node.node)"
        guard let link = settings.node.link(clientID: client) else { return }
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint])
        try await EventLoop.withEventLoop(name: "calm") { loop in
            let service = CalmService(
                settings: settings, files: RoomFiles(directory: directory, bootID: bootID, log: log), bootID: bootID,
                loop: loop, log: log)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run(link) }
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
