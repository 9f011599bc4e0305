// SPDX-License-Identifier: Apache-2.0

/// Where a node's files are by default: systemd's directories, else those of XDG.
public struct Paths: Sendable {
    private let environment: [String: String]

    /// Reads `STATE_DIRECTORY`, `RUNTIME_DIRECTORY`, `XDG_…` and `HOME`.
    public init(environment: [String: String]) { self.environment = environment }

    /// The state directory of a node.
    public var stateDirectory: String {
        if let directory = first("STATE_DIRECTORY") { return directory }
        return (first("XDG_STATE_HOME") ?? home + "/.local/state") + "/lockstep"
    }

    /// The state directory of the debt service, where systemd gives it none.
    public var debtStateDirectory: String {
        (first("XDG_STATE_HOME") ?? home + "/.local/state") + "/lockstep-debt"
    }

    /// The socket of a node with that state directory.
    public func socket(stateDirectory: String) -> String {
        runtimeSocket ?? stateDirectory + "/node.sock"
    }

    /// Where a program that is given no socket looks for a node, the likeliest first.
    public var sockets: [String] {
        [runtimeSocket, stateDirectory + "/node.sock", "/run/lockstep/node.sock"].compactMap(\.self)
    }

    /// The settings that a node reads when it is given no file and this one is there.
    public var settings: String { (first("XDG_CONFIG_HOME") ?? home + "/.config") + "/lockstep/node.env" }

    /// The settings that the calm service reads when it is given no file and this one is there.
    public var calmSettings: String { (first("XDG_CONFIG_HOME") ?? home + "/.config") + "/lockstep/calm.env" }

    /// The settings that the debt service reads when it is given no file and this one is there.
    public var debtSettings: String { (first("XDG_CONFIG_HOME") ?? home + "/.config") + "/lockstep/debt.env" }

    private var runtimeSocket: String? {
        if let directory = first("RUNTIME_DIRECTORY") { return directory + "/node.sock" }
        return first("XDG_RUNTIME_DIR").map { $0 + "/lockstep/node.sock" }
    }

    private var home: String { first("HOME") ?? "/var/lib" }

    /// systemd separates several directories by colons; the first is ours.
    private func first(_ name: String) -> String? {
        guard let value = environment[name]?.split(separator: ":").first else { return nil }
        return String(value)
    }
}
