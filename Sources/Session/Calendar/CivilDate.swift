// SPDX-License-Identifier: Apache-2.0

/// A day of the proleptic Gregorian calendar, without a time zone, as in `2026-12-28`.
public struct CivilDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1970-01-01.
    public var dayNumber: Int

    public init(dayNumber: Int) { self.dayNumber = dayNumber }

    /// Months are 1 to 12. Days after the month's end belong to the next month.
    public init(year: Int, month: Int, day: Int) {
        // Years that begin in March end with the leap day (Hinnant, "chrono-compatible low-level date algorithms").
        let year = month <= 2 ? year - 1 : year
        let era = Self.floor(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        dayNumber = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], let year = Int(digits: parts[0]), let month = Int(digits: parts[1]),
            let day = Int(digits: parts[2]), (1...12).contains(month)
        else { return nil }
        self.init(year: year, month: month, day: day)
        guard components == (year, month, day) else { return nil }
    }

    public var components: (year: Int, month: Int, day: Int) {
        let shifted = dayNumber + 719_468
        let era = Self.floor(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The day of the week, from 1 for Monday to 7 for Sunday.
    public var weekday: Int { Self.modulo(dayNumber + 3, 7) + 1 }

    public func adding(days: Int) -> CivilDate { CivilDate(dayNumber: dayNumber + days) }

    public var description: String {
        let (year, month, day) = components
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }

    public static func < (one: CivilDate, other: CivilDate) -> Bool { one.dayNumber < other.dayNumber }

    package static func floor(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
    }

    package static func modulo(_ number: Int, _ divisor: Int) -> Int { number - floor(number, divisor) * divisor }
}
