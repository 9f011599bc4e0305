// SPDX-License-Identifier: Apache-2.0

package import API
import Session
import Wire

/// The environment variables of a user hook.
///
/// The hook inherits the node's environment without the node's settings, since those may hold a password.
package enum HookVariable: String, CaseIterable {
    case event = "LOCKSTEP_EVENT"
    case at = "LOCKSTEP_EVENT_AT"
    case late = "LOCKSTEP_LATE"
    case session = "LOCKSTEP_SESSION"
    case lineage = "LOCKSTEP_LINEAGE"
    case title = "LOCKSTEP_TITLE"
    case icon = "LOCKSTEP_ICON"
    case label = "LOCKSTEP_LABEL"
    case colour = "LOCKSTEP_COLOUR"
    case mode = "LOCKSTEP_MODE"
    case status = "LOCKSTEP_STATUS"
    case owner = "LOCKSTEP_OWNER"
    case isOwner = "LOCKSTEP_IS_OWNER"
    case node = "LOCKSTEP_NODE"
    case space = "LOCKSTEP_SPACE"
    case socket = "LOCKSTEP_SOCKET"
    case phase = "LOCKSTEP_PHASE"
    case phases = "LOCKSTEP_PHASES"
    case phaseKind = "LOCKSTEP_PHASE_KIND"
    case phaseName = "LOCKSTEP_PHASE_NAME"
    case elapsed = "LOCKSTEP_ELAPSED_SECONDS"
    case remaining = "LOCKSTEP_REMAINING_SECONDS"

    /// Returns the complete environment of a hook.
    /// - Parameters:
    ///   - socket: The control socket, for `lockstep` in a hook.
    ///   - inherited: The environment of this process.
    package static func environment(
        of report: EventReport, socket: String, inherited: [String: String]
    ) -> [String: String] {
        // Without NOTIFY_SOCKET too: a hook must not report states of the service.
        var environment = inherited.filter { !$0.key.hasPrefix("LOCKSTEP_") && $0.key != "NOTIFY_SOCKET" }
        for variable in allCases { environment[variable.rawValue] = variable.value(of: report, socket: socket) ?? "" }
        return environment
    }

    private func value(of report: EventReport, socket: String) -> String? {
        let session = report.session
        func number(_ value: Bool) -> String { value ? "1" : "0" }
        return switch self {
        case .event: report.event
        case .at: String(report.at)
        case .late: number(report.late)
        case .session: session.session
        case .lineage: session.lineage
        case .title: session.title
        case .icon: session.icon
        case .label: session.label?.name
        case .colour: session.label?.colour
        case .mode: session.mode
        case .status: session.status
        case .owner: session.owner
        case .isOwner: number(session.isOwner)
        case .node: session.node
        case .space: session.space
        case .socket: socket
        case .phase: session.phase.map(String.init)
        case .phases: String(session.plan.count)
        case .phaseKind: session.currentPhase?.kind
        case .phaseName: session.currentPhase?.name
        case .elapsed: session.elapsedSeconds.map(String.init)
        case .remaining: session.remainingSeconds.map(String.init)
        }
    }
}
