// SPDX-License-Identifier: Apache-2.0

import Commands
import Display
import Session
import Web
import Wire

/// What `lockstep status` says to a person: a few lines, in the words of the displays.
struct StatusText {
    private let screen: Screen
    private let report: StatusReport
    private let strings: Strings

    /// - Parameters:
    ///   - shown: What the node shows when its boot clock reads `boot`.
    ///   - report: The node's report at about the same time, for what no display shows.
    init(of shown: NodeView, at boot: Int64, report: StatusReport, strings: Strings) {
        // Without a node of its own, a takeover is told in full: by whom and from whom.
        var options = ScreenOptions(strings: strings, isReadOnly: true, utcOffset: LocalTime.utcOffset)
        options.take(shown)
        screen = Screen(shown.view, at: boot, face: .phases, options: options)
        self.report = report
        self.strings = strings
    }

    /// Whether there is a session that can still change.
    var isLive: Bool { screen.status?.isLive == true }

    var lines: [String] {
        guard !screen.isIdle else { return [joined([strings[.idle], notice(.linkLost)])] + rest }
        let heading = joined([screen.title, screen.label?.name])
        let place =
            report.isOwner
            ? strings.text(.onThisNode, ["node": report.node])
            : strings.text(.onNode, ["node": report.owner ?? "?"])
        let lines = [
            heading.isEmpty ? screen.stateText : "\(heading): \(screen.stateText)", time,
            joined([place, notice(.linkLost)]), notice(.tookOver), stale,
        ]
        return lines.compactMap(\.self) + rest
    }

    /// "24:15 left · ends 14:25 · Focus 2/4".
    private var time: String? {
        guard isLive else { return nil }
        let time = strings.text(screen.progress == nil ? .passed : .left, ["time": screen.time])
        return joined([time, screen.endsAt, screen.indicatorBesideState ?? position])
    }

    /// "Phase 2/3": which phase of the plan it is, where its own count does not tell.
    private var position: String? {
        guard let phase = report.phase, report.plan.count > 1 else { return nil }
        let values = ["phase": strings[.phase], "index": "\(phase + 1)", "total": "\(report.plan.count)"]
        return strings.text(.phaseIndicator, values)
    }

    /// Since when there has been no contact with the owner, and how long that is.
    private var stale: String? {
        guard let lastHeard = notice(.stale) else { return nil }
        guard let since = report.staleSince else { return lastHeard }
        let time = TimeText.clock(since, offset: LocalTime.utcOffset(at: since))
        return joined([strings.text(.staleSince, ["time": time]), lastHeard])
    }

    /// What is wrong with the machine. A problem comes with a text of its own, which no display shows.
    private var rest: [String] {
        clock + (report.problems ?? []).filter { !$0.kind.isMinor }.map { "warning: \($0.text)" }
    }

    private var clock: [String] {
        guard let clock = report.clock, clock.wrong else { return [] }
        let ahead = report.clockAhead ?? 0
        let size = size(seconds: Int((ahead.magnitude + 500) / 1_000))
        return [strings.text(ahead < 0 ? .clockBehind : .clockAhead, ["size": size])]
    }

    /// As exact as a person wants it who is to set a clock.
    private func size(seconds: Int) -> String {
        let day = 86_400
        return switch seconds {
        case (731 * day)...: strings.text(.years, count: seconds / (365 * day))
        case (2 * day)...: strings.text(.days, count: seconds / day)
        case 600...: (seconds / 60 * 60).inWords
        default: seconds.inWords
        }
    }

    private func notice(_ kind: Screen.Notice.Kind) -> String? { screen.notices.first { $0.kind == kind }?.text }

    private func joined(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " · ")
    }
}
