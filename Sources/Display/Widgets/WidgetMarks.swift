// SPDX-License-Identifier: Apache-2.0

import Session

/// The sign of a state, as an SVG path in a 24 × 24 box.
enum WidgetMark {
    case paused, ready, completed, superseded, stale

    init?(_ screen: Screen) {
        switch screen.status {
        case .paused: self = .paused
        case .ready: self = .ready
        case .completed: self = .completed
        case .superseded: self = .superseded
        case .running where screen.isStale: self = .stale
        case .running, .stopped, nil: return nil
        }
    }

    var path: String {
        switch self {
        case .paused: "M9 6v12M15 6v12"
        case .ready: "M9 6l9 6-9 6z"
        case .completed: "M5 13l4.5 4.5L19 7"
        case .superseded: "M5 12h13M13 6.5l5.5 5.5-5.5 5.5"
        case .stale: "M12 5v8M12 18.5v.01"
        }
    }

    var isFilled: Bool { self == .ready }

    /// A tag, shown beside the label.
    static let tag = "M3.5 12.5l9-9h8v8l-9 9zM16 8v.01"
}

extension SVGDrawing {
    mutating func mark(
        _ mark: WidgetMark, x: Double, y: Double, size: Double, thickness: Double = 3.5, colour: Colour
    ) {
        path(mark.path, x: x, y: y, size: size, thickness: thickness, colour: colour, isFilled: mark.isFilled)
    }

    /// Draws the session's emoji, or the drawing of its phase.
    mutating func icon(of screen: Screen, x: Double, y: Double, size: Double, colour: Colour, opacity: Double = 1) {
        if let emoji = screen.emoji, !screen.isBreak, !screen.isIdle {
            text(
                emoji, x: x + size / 2, y: y + size * 0.8, room: size * 1.2, align: .centre,
                style: TextStyle(size * 0.85, least: size * 0.2, colour: colour))
        } else {
            path(screen.icon.path, x: x, y: y, size: size, colour: colour, opacity: opacity)
        }
    }
}

extension Screen {
    /// Whether the time is drawn dimmed, because it does not run or may be outdated.
    var isDim: Bool { isFrozen || isStale || status?.isLive != true }

    /// The heading: label and title, or the state if there are none.
    var heading: Localized {
        let isCalm = face == .calm
        if isCalm, !title.isEmpty { return title }
        let names = [.userText(label?.name ?? ""), title].filter { !$0.isEmpty }
        if names.isEmpty { return isCalm ? facts.phaseName ?? stateText : stateText }
        return names.joined(separator: Localized.separator)
    }

    /// Returns the longest form of the time that fits into `room` at `size`, or the shortest one.
    func time(room: Double, size: Double, isMonospaced: Bool = false) -> Localized {
        let measure = TextMeasure(isBold: !isMonospaced, isMonospaced: isMonospaced)
        return times.first { measure.width($0) * size <= room } ?? times.last ?? ""
    }

    /// Returns the text in place of the time on displays that change rarely.
    ///
    /// It is the end of a running countdown, or the whole minutes of a stopped time or a count-up.
    /// - Parameter isShort: Whether to write "→14:25" instead of "ends 14:25".
    func eInkTime(isShort: Bool) -> Localized {
        // An arrow, since "14:25" alone reads like the time that is left.
        if let clock = facts.endClock { return isShort || face == .boring ? "→\(clock)" : endsAt ?? clock }
        guard status?.isLive == true || face == .boring, let seconds = facts.seconds else { return "" }
        return TimeText.minutes(seconds: seconds, isCountUp: progress == nil)
    }

    /// Returns the most important notice that the state does not express.
    func loudestNotice(_ options: WidgetOptions) -> Notice? {
        guard var notice = notices.first else { return nil }
        if options.isEInk, notice.kind == .stale, let text = facts.staleText { notice.text = text }
        return notice
    }

    /// Returns the text for screen readers. It lacks the time, since a picture is read once and stays.
    func spoken(_ options: WidgetOptions) -> Localized {
        guard face != .boring else { return "" }
        guard !isIdle else { return options.strings[.noSession] }
        let parts = [heading, heading == stateText ? "" : stateText, loudestNotice(options)?.text ?? "", endsAt ?? ""]
        return parts.joined(separator: ", ")
    }
}
