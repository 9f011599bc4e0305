// SPDX-License-Identifier: Apache-2.0

import Session

/// The rule for the offset of a time zone in all years to come, such as `CET-1CEST,M3.5.0,M10.5.0/3`. The text is that
/// of POSIX for the variable TZ, with the hours from -167 to 167 that RFC 9636 adds.
struct ZoneRule: Sendable {
    private var standard: Int64
    private var summer: (offset: Int64, begin: Day, end: Day)?

    /// A day of each year, and the second of that day by the local clock.
    private struct Day {
        enum Kind {
            /// A day of 1 to 365 without February 29.
            case julian(Int)
            /// A day of 0 to 365.
            case ofYear(Int)
            /// A weekday (0 is Sunday) in a week (5 is the last) of a month.
            case ofMonth(Int, week: Int, weekday: Int)
        }
        var kind: Kind
        var time: Int64
    }

    init?(_ text: String) {
        var rest = text[...]
        guard Self.takeName(&rest), let west = Self.takeTime(&rest) else { return nil }
        standard = -west
        guard !rest.isEmpty else { return }
        guard Self.takeName(&rest) else { return nil }
        var offset = standard + 3_600
        if rest.first != "," {
            guard let west = Self.takeTime(&rest) else { return nil }
            offset = -west
        }
        let days = rest.dropFirst().split(separator: ",", omittingEmptySubsequences: false).map(Self.day)
        guard rest.first == ",", days.count == 2, let begin = days[0], let end = days[1] else { return nil }
        summer = (offset, begin, end)
    }

    /// Returns the offset at a second since 1970, in seconds east of universal time.
    func offset(at second: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilDate(dayNumber: CivilDate.floor(Int(second + standard), 86_400)).components.year
        let begin = Self.second(of: summer.begin, in: year) - standard
        let end = Self.second(of: summer.end, in: year) - summer.offset
        // In the southern hemisphere summer extends over the end of the year.
        let isSummer = begin < end ? begin <= second && second < end : !(end <= second && second < begin)
        return isSummer ? summer.offset : standard
    }

    /// Returns when a day's time comes in a year, in seconds since 1970 by the local clock.
    private static func second(of day: Day, in year: Int) -> Int64 {
        let first = CivilDate(year: year, month: 1, day: 1)
        let number: Int
        switch day.kind {
        case .julian(let count):
            let isLeap = CivilDate(year: year, month: 3, day: 1).dayNumber - first.dayNumber == 60
            number = first.dayNumber + count - (isLeap && count >= 60 ? 0 : 1)
        case .ofYear(let count):
            number = first.dayNumber + count
        case .ofMonth(let month, let week, let weekday):
            let begin = CivilDate(year: year, month: month, day: 1)
            let next = CivilDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).dayNumber
            var found = begin.dayNumber + (weekday - begin.weekday % 7 + 7) % 7 + (week - 1) * 7
            while found >= next { found -= 7 }
            number = found
        }
        return Int64(number) * 86_400 + day.time
    }

    // MARK: Parsing

    /// Takes a name of letters, or of anything in angle brackets.
    private static func takeName(_ rest: inout Substring) -> Bool {
        if rest.first == "<" {
            guard let end = rest.firstIndex(of: ">") else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let name = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// Takes a time such as `3`, `-1` or `5:30`, in seconds.
    private static func takeTime(_ rest: inout Substring) -> Int64? {
        let text = rest.prefix { $0.isNumber || $0 == ":" || $0 == "+" || $0 == "-" }
        rest = rest.dropFirst(text.count)
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "+" || $0 == "-" }.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds: Int64 = 0
        for (part, unit) in zip(parts, [3_600, 60, 1] as [Int64]) {
            guard let number = Int64(part), (0...(unit == 3_600 ? 167 : 59)).contains(number) else { return nil }
            seconds += number * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// Parses a day such as `M3.5.0`, `M10.5.0/3`, `J60` or `0/5`; without a time it is two o'clock.
    private static func day(_ text: Substring) -> Day? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        var time: Int64? = 7_200
        if parts.count == 2 {
            var rest = parts[1]
            time = takeTime(&rest)
            guard rest.isEmpty else { return nil }
        }
        guard (1...2).contains(parts.count), let time else { return nil }
        if parts[0].hasPrefix("M") {
            let numbers = parts[0].dropFirst().split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
            guard numbers.count == 3, let month = numbers[0], let week = numbers[1], let weekday = numbers[2],
                (1...12).contains(month), (1...5).contains(week), (0...6).contains(weekday)
            else { return nil }
            return Day(kind: .ofMonth(month, week: week, weekday: weekday), time: time)
        }
        if parts[0].hasPrefix("J") {
            guard let count = Int(parts[0].dropFirst()), (1...365).contains(count) else { return nil }
            return Day(kind: .julian(count), time: time)
        }
        guard let count = Int(parts[0]), (0...365).contains(count) else { return nil }
        return Day(kind: .ofYear(count), time: time)
    }
}
