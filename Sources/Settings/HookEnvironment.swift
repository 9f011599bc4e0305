// SPDX-License-Identifier: Apache-2.0

package import API

/// The environment variables of a user hook.
package enum HookEnvironment {
    static let values: [String: @Sendable (EventReport) -> String?] = [
        "LOCKSTEP_EVENT": { $0.event.rawValue },
        "LOCKSTEP_EVENT_AT": { "\($0.at)" },
        "LOCKSTEP_LATE": { $0.late ? "1" : "0" },
        "LOCKSTEP_SESSION": { $0.session.session },
        "LOCKSTEP_LINEAGE": { $0.session.lineage },
        "LOCKSTEP_TITLE": { $0.session.title },
        "LOCKSTEP_ICON": { $0.session.icon },
        "LOCKSTEP_LABEL": { $0.session.label?.name },
        "LOCKSTEP_COLOUR": { $0.session.label?.colour },
        "LOCKSTEP_MODE": { $0.session.mode },
        "LOCKSTEP_STATUS": { $0.session.status },
        "LOCKSTEP_OWNER": { $0.session.owner },
        "LOCKSTEP_IS_OWNER": { $0.session.isOwner ? "1" : "0" },
        "LOCKSTEP_NODE": { $0.session.node },
        "LOCKSTEP_SPACE": { $0.session.space },
        "LOCKSTEP_PHASE": { $0.session.phase.map(String.init) },
        "LOCKSTEP_PHASES": { String($0.session.plan.count) },
        "LOCKSTEP_PHASE_KIND": { $0.session.currentPhase?.phase.kind },
        "LOCKSTEP_PHASE_NAME": { $0.session.currentPhase?.phase.name },
        "LOCKSTEP_ELAPSED_SECONDS": { $0.session.elapsedSeconds.map(String.init) },
        "LOCKSTEP_REMAINING_SECONDS": { $0.session.remainingSeconds.map(String.init) },
    ]

    /// Returns the complete environment of a hook: `inherited` without the node's settings, which may hold a password.
    /// - Parameter socket: The control socket, for `lockstep` in a hook.
    package static func environment(
        of report: EventReport, socket: String, inherited: [String: String]
    ) -> [String: String] {
        // Without NOTIFY_SOCKET too: a hook must not report states of the service.
        var environment = inherited.filter { !$0.key.hasPrefix("LOCKSTEP_") && $0.key != "NOTIFY_SOCKET" }
        environment["LOCKSTEP_SOCKET"] = socket
        for (name, value) in values { environment[name] = value(report) ?? "" }
        return environment
    }
}
