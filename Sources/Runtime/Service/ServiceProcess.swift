// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Mosquitto
package import Session
package import Settings
import UnixSignals

/// A service that stays connected to a broker.
package protocol BrokerService: Actor {
    /// Serves until ``goOffline()``.
    func run(_ configuration: MQTTConfiguration) async throws

    /// Publishes that the service goes offline, and closes the connection.
    func goOffline() async
}

/// The process of a service: its state directory, its broker, signals and the service manager.
package struct ServiceProcess {
    package let bootID: BootID
    /// The state directory, which no other process can use meanwhile.
    package let directory: StateDirectory
    package let log: Logger
    private let settings: NodeSettings
    private let space: String
    private let configuration: MQTTConfiguration

    /// Locks the state directory of `calm` or `debt`. Throws if the broker is missing.
    package init(_ settings: NodeSettings, servesEverySpace: Bool, name: ServiceName) throws(SettingError) {
        let clientID = servesEverySpace ? "lockstep-\(settings.node)" : "lockstep-\(settings.space)-\(settings.node)"
        guard let configuration = settings.brokerConfiguration(clientID: clientID) else {
            throw SettingError("the \(name) service needs a broker: --broker mqtt://host, or LOCKSTEP_BROKER")
        }
        guard let bootID = Clocks.bootID() else { throw SettingError("the kernel's boot id cannot be read") }
        do throws(StateDirectoryError) {
            directory = try StateDirectory(settings.stateDirectory)
        } catch {
            throw SettingError("\(error)")
        }
        self.settings = settings
        self.bootID = bootID
        self.configuration = configuration
        space = servesEverySpace ? SpaceID.every : "\(settings.space)"
        log = Logger(label: "lockstep-\(name)")
        if let warning = directory.warning { log.warning("\(warning)") }
    }

    /// Runs a service until SIGTERM or SIGINT. Logs and reports to the service manager when it starts and stops.
    /// - Parameter onHangUp: Called at each SIGHUP; without it SIGHUP ends the process.
    package func run(
        _ service: some BrokerService, _ metadata: Logger.Metadata = [:],
        onHangUp: (@Sendable () async -> Void)? = nil
    ) async throws {
        let trapped: [UnixSignal] = [.sigterm, .sigint] + (onHangUp == nil ? [] : [.sighup])
        let signals = await UnixSignalsSequence(trapping: trapped)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [configuration] in try await service.run(configuration) }
            group.addTask {
                for await signal in signals {
                    guard signal == .sighup, let onHangUp else { break }
                    await onHangUp()
                }
                SystemdNotifier.notify("STOPPING=1")
                await service.goOffline()
            }
            SystemdNotifier.notify("READY=1")
            let places: Logger.Metadata = ["space": "\(space)", "broker": "\(settings.broker?.description ?? "")"]
            log.info("ready", metadata: places.merging(metadata) { $1 })
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
