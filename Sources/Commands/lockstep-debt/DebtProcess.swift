// SPDX-License-Identifier: Apache-2.0

import Commands
import Debt
import Logging
import Mosquitto
import Session
import Shell
import UnixSignals

/// The service as a process, from its settings to a signal.
struct DebtProcess {
    let settings: DebtSettings

    func run() async throws {
        let start = try ServiceStart(settings.node, isEverySpace: settings.isEverySpace, of: "debt service")
        let log = Logger(label: "lockstep-debt")
        let ledger = try Ledger(path: settings.ledger)
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint, .sighup])
        try await Self.withLoops { loop, disk in
            let history = try ledger.take(settings.rules, at: Clocks.now().wall)
            let service = DebtService(
                settings: settings, ledger: ledger, history: history, bootID: start.bootID, loop: loop,
                disk: disk, log: log)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [link = start.link] in try await service.run(link) }
                group.addTask {
                    for await signal in signals {
                        guard signal == .sighup else { break }
                        await service.ledgerHasChanged()
                    }
                    Readiness.notify("STOPPING=1")
                    await service.goOffline()
                }
                Readiness.notify("READY=1")
                log.info(
                    "ready",
                    metadata: [
                        "space": "\(settings.isEverySpace ? "+" : "\(settings.node.space)")",
                        "broker": "\(settings.node.broker?.description ?? "")", "ledger": "\(settings.ledger)",
                    ])
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        try ledger.close()
        // Until here no other process may have the ledger.
        withExtendedLifetime(start.directory) {}
    }

    /// Runs `body` with a thread for the service and one for what it writes.
    private static func withLoops(_ body: (EventLoop, EventLoop) async throws -> Void) async throws {
        try await EventLoop.withEventLoop(name: "debt-disk") { disk in
            try await EventLoop.withEventLoop(name: "debt") { try await body($0, disk) }
        }
    }
}
