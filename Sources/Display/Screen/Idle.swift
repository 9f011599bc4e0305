// SPDX-License-Identifier: Apache-2.0

package import API
package import Session
package import Wire

/// The content of a display without a session. The `boring` face shows nothing then.
package enum Idle: String, CaseIterable, Sendable {
    /// The time of day, and the minutes of today.
    case clock
    /// A bar for each day of the week; the time of day while no debt service has sent the days.
    case week
    /// A faint drawing; on a terminal words alone.
    case icon
    /// Nothing: black.
    case off
}

/// The time before the end of a phase in which displays warn of it, such as `5m`.
package struct EndWarning: Hashable, Sendable, CustomStringConvertible {
    package let seconds: Int

    /// Parses a duration as plans have them; `nil` for another text.
    package init?(_ text: String) {
        guard let seconds = try? PlanParser.seconds(of: text) else { return nil }
        self.seconds = seconds
    }

    package var description: String { "\(seconds)s" }
}

/// The week on a display without a session, valid until the end of its day.
struct IdleWeek {
    private let numbers: WeekNumbers
    /// The end of its day and a minute. In that minute the service publishes the next day.
    let until: GroupTime

    /// - Parameter offset: Returns the local offset from UTC in seconds, at a time in milliseconds since 1970.
    /// - Returns: `nil` without a debt service, or if it does not tell the days.
    init?(_ week: DebtWeek?, offset: (Int64) -> Int) {
        guard let week, let first = week.first, let today = week.today, week.days.indices.contains(today) else {
            return nil
        }
        numbers = WeekNumbers(first: first, days: week.days, today: today, goal: week.goal, done: week.done)
        let end = week.from + .days(Int64(today + 1))
        // A day on which the clocks are changed is an hour longer or shorter.
        let change = offset(week.from.milliseconds) - offset(end.milliseconds)
        until = end + .seconds(Int64(change)) + .minutes(1)
    }

    /// Returns the minutes of today, as "Today 45m".
    func today(_ strings: Strings) -> Localized {
        let minutes = TimeText.minutes(numbers.dayMinutes[numbers.today])
        return "\(strings[.today]) \(strings.isolatedNumber(minutes))"
    }

    /// Returns the minutes of the week, as "3h05m of 7h00m".
    func sum(_ strings: Strings) -> Localized { numbers.facts(strings)[0] }

    func chart(_ strings: Strings) -> String { WeekCharts(numbers, strings: strings).days }

    func days(_ strings: Strings) -> [Screen.Day] {
        let most = max(numbers.dayMinutes.max() ?? 0, Int(numbers.goalByDay), 1)
        return numbers.dayMinutes.enumerated().map { index, minutes in
            Screen.Day(
                name: strings.weekday(of: numbers.first.adding(days: index)),
                minutes: TimeText.minutes(minutes), share: Double(minutes) / Double(most),
                isToday: index == numbers.today)
        }
    }
}

extension Screen {
    /// A day of the week on a display without a session.
    package struct Day: Hashable, Sendable {
        package var name: Localized
        package var minutes: Localized
        /// The day's fraction of the longest day, or of the daily goal if that is longer.
        package var share: Double
        package var isToday: Bool
    }

    /// Adds the content without a session. A display that does not tell the time of day has only words.
    mutating func addIdle(_ options: ScreenOptions) {
        guard face != .boring, let wallClock = options.wallClock else { return }
        idle = options.idle
        guard idle == .clock || idle == .week else { return }
        let known = IdleWeek(options.week, offset: options.utcOffset)
        let week = known.flatMap { GroupTime(told: wallClock) < $0.until ? $0 : nil }
        if idle == .week, let week {
            days = week.days(options.strings)
            sumText = week.sum(options.strings)
        } else {
            let time = wallClock.milliseconds
            widestTime = TimeText.clock(time, offset: options.utcOffset(time))
            times = [widestTime]
            sumText = week?.today(options.strings)
        }
    }
}

extension Idle {
    /// Returns the content of a page without a session as JSON. The page computes the time of day.
    package func content(
        week: DebtWeek?, boot: BootTime, groupTime: GroupTime, offset: (Int64) -> Int, strings: Strings
    ) -> JSONText {
        let now = groupTime.milliseconds
        let known = IdleWeek(week, offset: offset)
        let charted = self == .week ? known : nil
        return [
            "kind": rawValue.json,
            // The local time at the instant of the timeline, in milliseconds since 1970.
            "local": (now + Int64(offset(now)) * 1_000).json,
            "today": known?.today(strings).json,
            // Until when the words and the chart are true, on the node's boot clock.
            "until": known.map { (boot + ($0.until - groupTime)).milliseconds.json },
            "sum": charted?.sum(strings).json,
            // The chart is SVG.
            "week": charted?.chart(strings).json,
        ]
    }
}
