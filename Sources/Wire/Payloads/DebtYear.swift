// SPDX-License-Identifier: Apache-2.0

public import Session

/// The time done in the weeks before the one of ``DebtFeed``.
public struct DebtYear: Hashable, Sendable, Described {
    /// The first day, which is the first of a week.
    public var first: CivilDate
    /// Whole minutes done on each day, the earliest first; ``daysLimit`` at most.
    public var days: [Int]
    /// How calm each seven days (the last ones perhaps fewer) were, in percent, `nil` if unknown; or empty.
    public var calm: [Int?]
    public var at: GroupTime

    /// The weeks that a service writes.
    public static let weeks = 52
    /// The days that a reader accepts: more than a service writes.
    public static let daysLimit = 400
    /// The minutes that a day can have: those of two dates. A week's first day can include the rest of a date.
    private static let dayMinutes = 0...2_880

    public init(first: CivilDate, days: [Int], calm: [Int?] = [], at: GroupTime) {
        self.first = first
        self.days = days
        self.calm = calm
        self.at = at
    }

    /// Returns whether it differs from an earlier one in more than its time.
    public func isNews(after other: DebtYear?) -> Bool {
        guard var other else { return true }
        other.at = at
        return self != other
    }

    package static let objectName = "feed/debt/year"
    package static let blank = DebtYear(first: CivilDate(dayNumber: 0), days: [], at: 0)
    package var contradiction: String? { calm.isEmpty || calm.count == (days.count + 6) / 7 ? nil : "calm" }

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("first", &first, .date)
        try coder.field("days", &days, .list(of: .whole(Self.dayMinutes), 0...Self.daysLimit))
        try coder.field("calm", &calm, .list(of: .nullable(.percent), 0...(Self.daysLimit + 6) / 7), unless: [])
        try coder.field("at", &at, .time)
    }
}
