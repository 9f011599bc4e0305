// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Runtime
import Session
import Settings

/// The debt service on a database that several services use. It serves while it has the lock of its space. Otherwise it
/// stands by without a connection to the broker, so that two services can have one id. A lost database ends a turn.
actor DebtTurns: BrokerService {
    /// The interval between two tries to get the lock, or to reach a database that is lost.
    private static let interval: Duration = .seconds(2)

    private let settings: DebtSettings
    private let log: Logger
    private let problems: ProblemLog
    private let makeService: @Sendable (LedgerStore) throws -> DebtService
    private var service: DebtService?
    private var isEnding = false

    init(_ settings: DebtSettings, log: Logger, makeService: @escaping @Sendable (LedgerStore) throws -> DebtService) {
        (self.settings, self.log, self.makeService) = (settings, log, makeService)
        problems = ProblemLog(log)
    }

    func run(_ configuration: MQTTConfiguration) async throws {
        while !isEnding {
            do {
                try await serve(try LedgerStore(at: settings.ledger), configuration)
            } catch let error as LedgerError where error.isPassing {
                problems.report("\(error)")
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    func goOffline() async {
        isEnding = true
        await service?.goOffline()
    }

    func ledgerHasChanged() async { await service?.ledgerHasChanged() }

    private func serve(_ ledger: LedgerStore, _ configuration: MQTTConfiguration) async throws {
        guard let shared = ledger.shared else { return }
        let metadata: Logger.Metadata = ["ledger": "\(ledger.place)"]
        let me = "\(settings.common.node) on \(NodeSettings.hostName)"
        let space = settings.servesEverySpace ? nil : settings.common.space
        var logged: String?
        while let server = try shared.claim(space, for: me, as: settings.common.node) {
            if server != logged { log.notice("stands by: \(server) serves", metadata: metadata) }
            logged = server
            try await Task.sleep(for: Self.interval)
        }
        problems.clear()
        log.notice("has the lock of the ledger and serves", metadata: metadata)
        let service = try makeService(ledger)
        self.service = service
        defer { self.service = nil }
        guard !isEnding else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run(configuration) }
            group.addTask { [problems] in
                do {
                    while true {
                        try await Task.sleep(for: Self.interval)
                        if try shared.poll() { await service.ledgerHasChanged() }
                    }
                } catch let error as LedgerError {
                    problems.report("stops serving: \(error)")
                    await service.goOffline()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
