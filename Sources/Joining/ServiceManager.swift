// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
package import Settings

/// The systemd of this machine, or that of a person.
package struct ServiceManager: Sendable {
    /// The state of a unit before a change.
    package struct State: Sendable {
        var isEnabled: Bool
        var isActive: Bool
    }

    private let options: [LineText]

    /// Connects to the service manager of a scope; `nil` if none runs.
    package init?(_ paths: JoinPaths) async {
        options = paths.isPersonal ? ["--user"] : []
        if paths.isPersonal {
            guard await isSuccess(["show-environment"]) else { return nil }
        } else {
            guard access(paths.root + "/run/systemd/system", F_OK) == 0 else { return nil }
        }
    }

    func has(_ unit: LineText) async -> Bool { await isSuccess(["cat", unit]) }

    func state(of unit: LineText) async -> State {
        State(
            isEnabled: await isSuccess(["is-enabled", "--quiet", unit]),
            isActive: await isSuccess(["is-active", "--quiet", unit]))
    }

    /// Enables a unit, and starts or restarts it.
    /// - Returns: The reason why it does not start; `nil` if it does.
    func start(_ unit: LineText) async -> String? {
        for arguments: [LineText] in [["enable", "--quiet", unit], ["restart", unit]] {
            do throws(ValueError) {
                let result = try await Child.systemctl(options + arguments)
                if result.code != 0 { return await lastLine(of: unit) ?? result.errors.trimmedLine }
            } catch {
                return error.description
            }
        }
        return nil
    }

    /// Puts a unit back into an earlier state, with the present settings.
    func restore(_ unit: LineText, _ state: State) async {
        _ = await isSuccess([state.isEnabled ? "enable" : "disable", "--quiet", unit])
        _ = await isSuccess([state.isActive ? "restart" : "stop", unit])
        _ = await isSuccess(["reset-failed", unit])
    }

    func end(_ unit: LineText) async { _ = await isSuccess(["disable", "--now", "--quiet", unit]) }

    /// Returns the last line that a unit has logged.
    func lastLine(of unit: LineText) async -> String? {
        let arguments = options + ["--unit", unit, "--lines", "1", "--output", "cat", "--no-pager", "--quiet"]
        guard let result = try? await Child.run("journalctl", arguments), result.code == 0 else { return nil }
        return result.output.trimmedLine.isEmpty ? nil : result.output.trimmedLine
    }

    func logCommand(of unit: LineText) -> String {
        (options.isEmpty ? "sudo journalctl" : "journalctl --user") + " -u \(unit) -n 20"
    }

    private func isSuccess(_ arguments: [LineText]) async -> Bool {
        await ((try? Child.systemctl(options + arguments))?.code ?? 1) == 0
    }
}

extension String {
    fileprivate var trimmedLine: String { String(self[...].trimmed) }
}
