// SPDX-License-Identifier: Apache-2.0

import Session

extension Screen {
    /// The screen in one sentence, for whoever hears it: said when it changes, and not while time passes.
    /// - Parameter seconds: The seconds that are left of a countdown or have passed of a count-up; `nil` for no time.
    func spoken(seconds: Int?, strings: Strings) -> String {
        guard !isIdle else { return idleText }
        var parts = [label?.name ?? "", title, stateText].filter { !$0.isEmpty }
        if let seconds, status == .running || isFrozen {
            parts.append(Self.spoken(seconds: seconds, isLeft: progress != nil, strings: strings))
        }
        return (parts + notices.filter { $0.kind != .stale }.map(\.text)).joined(separator: ". ")
    }

    private static func spoken(seconds: Int, isLeft: Bool, strings: Strings) -> String {
        guard isLeft else { return strings.text(.timePassed, count: seconds / 60) }
        return seconds < 60
            ? strings.text(.secondsLeft, count: seconds) : strings.text(.timeLeft, count: (seconds + 30) / 60)
    }
}
