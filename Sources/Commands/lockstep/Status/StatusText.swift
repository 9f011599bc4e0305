// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Platform
import Session

/// The lines of `lockstep status` for people.
struct StatusText {
    private let screen: Screen
    private let shown: NodeView
    private let moment: Moment?
    private let strings: Strings

    init(of shown: NodeView, strings: Strings) {
        var options = ScreenOptions(strings: strings, utcOffset: SystemClock.utcOffset)
        options.take(shown)
        // Without a node, the notice of a takeover names both the new and the former owner.
        options.node = nil
        let boot = BootTime(SystemClock.bootMilliseconds())
        screen = Screen(shown.view, at: boot, face: .phases, options: options)
        moment = shown.view.moment(at: boot)
        self.shown = shown
        self.strings = strings
    }

    var isLive: Bool { screen.status?.isLive == true }

    var lines: [String] {
        guard !screen.isIdle else { return ["\(joined([strings[.idle], notice(.unlinked)]))"] + alerts + problems }
        let heading = joined([screen.title, screen.label.map { .userText($0.name) }])
        let place =
            shown.view.isOwner
            ? strings.text(.onThisNode, ["node": .userText(shown.node?.rawValue ?? "?")])
            : strings.text(.onNode, ["node": .userText(moment?.register.owner.rawValue ?? "?")])
        let lines: [Localized?] = [
            heading.isEmpty ? screen.stateText : "\(heading): \(screen.stateText)", time,
            joined([place, notice(.unlinked)]), notice(.tookOver), stale,
            screen.continueHint,
        ]
        return lines.compactMap { $0?.description } + alerts + problems
    }

    /// An alarm that waits, and the text on all screens.
    private var alerts: [String] { [notice(.alarm), notice(.message)].compactMap { $0?.description } }

    /// The line of times, such as "24:15 left · ends 14:25 · Focus 2/4".
    private var time: Localized? {
        guard isLive else { return nil }
        let isInOvertime = moment?.isInOvertime ?? false
        let time =
            isInOvertime ? screen.time : strings.text(screen.progress == nil ? .passed : .left, ["time": screen.time])
        return joined([time, screen.endsAt, screen.indicatorBesideState ?? position])
    }

    private var position: Localized? {
        guard let register = moment?.register, register.plan.count > 1 else { return nil }
        let values: [String: Localized] = [
            "phase": strings[.phase], "index": "\(register.phase + 1)", "total": "\(register.plan.count)",
        ]
        return strings.text(.phaseIndicator, values)
    }

    /// The line that says when the contact with the owner was lost, and how long ago.
    private var stale: Localized? {
        guard let lastHeard = notice(.stale) else { return nil }
        guard let silence = moment?.staleFor else { return lastHeard }
        let since = SystemClock.wallMilliseconds() - shown.clockAhead.count - silence.count
        let time = TimeText.clock(since, offset: SystemClock.utcOffset(at: since))
        return joined([strings.text(.staleSince, ["time": time]), lastHeard])
    }

    /// The problems of the machine: its clock, and others that no display shows.
    private var problems: [String] {
        let warnings = shown.warnings.map { "warning: \($0)" }
        guard shown.isClockWrong else { return warnings }
        let size = size(seconds: Int((shown.clockAhead.count.magnitude + 500) / 1_000))
        return ["\(strings.text(shown.clockAhead < 0 ? .clockBehind : .clockAhead, ["size": size]))"] + warnings
    }

    /// Returns a duration, only as precise as is useful for setting a clock.
    private func size(seconds: Int) -> Localized {
        let day = 86_400
        return switch seconds {
        case (731 * day)...: strings.text(.years, count: seconds / (365 * day))
        case (2 * day)...: strings.text(.days, count: seconds / day)
        case 600...: .userText(PlanParser.text(ofSeconds: seconds / 60 * 60))
        default: .userText(PlanParser.text(ofSeconds: seconds))
        }
    }

    private func notice(_ kind: Screen.Notice.Kind) -> Localized? { screen.notices.first { $0.kind == kind }?.text }

    private func joined(_ parts: [Localized?]) -> Localized {
        parts.compactMap(\.self).joined(separator: " · ")
    }
}
