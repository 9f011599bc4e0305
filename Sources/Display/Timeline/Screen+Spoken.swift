// SPDX-License-Identifier: Apache-2.0

import Session

extension Screen {
    /// Returns the screen as one sentence for screen readers, to be announced at changes and not each second.
    /// - Parameter seconds: The seconds left of a countdown or elapsed in a count-up; `nil` for no time.
    func spoken(seconds: Int?, strings: Strings) -> Localized {
        guard !isIdle else { return idleText }
        var parts = [.userText(label?.name ?? ""), title, stateText]
        if let seconds, status == .running || isFrozen {
            parts.append(Self.spoken(seconds: seconds, isLeft: progress != nil, strings: strings))
        }
        return (parts + notices.filter { $0.kind != .stale }.map(\.text)).joined(separator: ". ")
    }

    private static func spoken(seconds: Int, isLeft: Bool, strings: Strings) -> Localized {
        guard isLeft else { return strings.text(.timePassed, count: seconds / 60) }
        return seconds < 60
            ? strings.text(.secondsLeft, count: seconds) : strings.text(.timeLeft, count: (seconds + 30) / 60)
    }
}
