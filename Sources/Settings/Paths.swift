// SPDX-License-Identifier: Apache-2.0

/// The default paths: systemd's directories, else those of XDG.
package struct Paths: Sendable {
    private let environment: [String: String]

    /// Reads `STATE_DIRECTORY`, `RUNTIME_DIRECTORY`, `XDG_…` and `HOME`.
    package init(environment: [String: String]) { self.environment = environment }

    package var stateDirectory: String {
        if let directory = first("STATE_DIRECTORY") { return directory }
        return (first("XDG_STATE_HOME") ?? home + "/.local/state") + "/lockstep"
    }

    /// Returns the state directory of a service, `calm` or `debt`. A caller asks only if systemd sets none.
    package func stateDirectory(of service: ServiceName) -> String {
        (first("XDG_STATE_HOME") ?? home + "/.local/state") + "/lockstep-\(service)"
    }

    package func socket(stateDirectory: String) -> String {
        runtimeSocket ?? stateDirectory + "/node.sock"
    }

    /// The sockets that `lockstep` tries, the likeliest first.
    package var sockets: [String] {
        [runtimeSocket, stateDirectory + "/node.sock", Installation.machineSocket].compactMap(\.self)
    }

    /// Returns the default settings file of a service.
    package func settings(of service: ServiceName) -> String { settingsFolder + "/\(service).env" }
    package var presets: String { settingsFolder + "/presets" }
    package var settingsFolder: String { (first("XDG_CONFIG_HOME") ?? home + "/.config") + "/lockstep" }

    private var runtimeSocket: String? {
        if let directory = first("RUNTIME_DIRECTORY") { return directory + "/node.sock" }
        return first("XDG_RUNTIME_DIR").map { $0 + "/lockstep/node.sock" }
    }

    private var home: String { first("HOME") ?? "/var/lib" }

    /// Returns the first directory of a list that is separated by colons, as systemd sets it.
    private func first(_ name: String) -> String? {
        guard let value = environment[name]?.split(separator: ":").first else { return nil }
        return String(value)
    }
}
