// SPDX-License-Identifier: Apache-2.0

public import Mosquitto
public import Session
public import Shell

/// What a service needs before it can begin.
public struct ServiceStart {
    /// Of the kernel.
    public let bootID: BootID
    /// Its state directory, which no other process may have meanwhile.
    public let directory: StateDirectory
    /// How to connect to the broker.
    public let link: Mosquitto.Configuration

    /// Takes the state directory.
    /// - Parameters:
    ///   - settings: Of the service.
    ///   - isEverySpace: Whether it serves every space of the broker.
    ///   - name: What the service is called, for messages.
    /// - Throws: ``UsageError`` where something is missing.
    public init(_ settings: Settings, isEverySpace: Bool, of name: String) throws(UsageError) {
        let client = isEverySpace ? "lockstep-\(settings.node)" : "lockstep-\(settings.space)-\(settings.node)"
        guard let link = settings.link(clientID: client) else {
            throw UsageError("the \(name) needs a broker: --broker mqtt://host, or LOCKSTEP_BROKER")
        }
        guard let bootID = Clocks.bootID() else { throw UsageError("the kernel's boot id cannot be read") }
        do throws(StateDirectoryError) {
            directory = try StateDirectory(settings.stateDirectory)
        } catch {
            throw UsageError("\(error)")
        }
        self.bootID = bootID
        self.link = link
    }
}
