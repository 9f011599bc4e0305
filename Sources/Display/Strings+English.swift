// SPDX-License-Identifier: Apache-2.0

extension Strings.Key {
    /// The English text.
    public var english: String {
        switch self {
        case .pause: "Pause"
        case .resume: "Resume"
        case .stop: "Stop"
        case .extend: "+1 min"
        case .startBreak: "Start break"
        case .startFocus: "Start focus"
        case .focusInProgress: "Focus in progress"
        case .focusPaused: "Focus paused"
        case .breakInProgress: "Break in progress"
        case .breakPaused: "Break paused"
        case .workInProgress: "Work in progress"
        case .workPaused: "Work paused"
        case .restInProgress: "Rest in progress"
        case .restPaused: "Rest paused"
        case .phaseInProgress: "In progress"
        case .phasePaused: "Paused"
        case .focusNext: "Focus is next"
        case .breakNext: "Break is next"
        case .workNext: "Work is next"
        case .restNext: "Rest is next"
        case .phaseNext: "Ready to go on"
        case .completed: "Completed"
        case .moved: "Moved to {node}, {time}"
        case .movedSomewhere: "Moved to another device"
        case .lastHeardSeconds: "Last heard {count} s ago"
        case .lastHeardMinutes: "Last heard {count} min ago"
        case .lastHeardHours: "Last heard {count} h ago"
        case .linkLost: "Not connected"
        case .tookOver: "{node} took over from {from}, {time}"
        case .focus: "Focus"
        case .shortBreak: "Break"
        case .longBreak: "Long break"
        case .work: "Work"
        case .rest: "Rest"
        case .phase: "Phase"
        case .phaseIndicator: "{phase} {index}/{total}"
        case .endsAt: "ends {time}"
        case .hourMark: "h"
        case .pending: "…"
        case .idle: "No session. Begin one with “lockstep start”."
        }
    }
}
