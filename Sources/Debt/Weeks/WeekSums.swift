// SPDX-License-Identifier: Apache-2.0

public import Session

/// What was done in a week.
public struct WeekSums: Hashable, Sendable {
    /// What was done on one label.
    public struct LabelSum: Hashable, Sendable {
        /// The label; `nil` for the default label.
        public var label: Label?
        /// Milliseconds.
        public var done: Int64

        /// Makes a sum.
        public init(label: Label?, done: Int64) {
            self.label = label
            self.done = done
        }
    }

    /// The week.
    public var week: Week
    /// Milliseconds done on each of its days.
    public var days: [Int64]
    /// What was done on which label, the most first.
    public var labels: [LabelSum]
    /// What still goes on, to be added by whoever looks later.
    public var ongoing: Ongoing?

    /// Milliseconds done in all.
    public var done: Int64 { days.reduce(0, +) }

    /// Splits what counts at the bounds of the week and of its days.
    public init(of minutes: Minutes, entries: [Entry], in week: Week) {
        self.week = week
        days = week.days.map { _ in 0 }
        var byLabel: [String: LabelSum] = [:]
        // Of labels of one name the colour of the largest stamp is shown.
        var newest: [String: Stamp] = [:]
        var day = 0
        for piece in minutes.pieces where piece.to > week.from && piece.from < week.to {
            let (from, to) = (max(piece.from, week.from), min(piece.to, week.to))
            while week.days[day].to <= from { day += 1 }
            var spread = day
            while spread < days.count, week.days[spread].from < to {
                days[spread] += max(0, min(to, week.days[spread].to) - max(from, week.days[spread].from))
                spread += 1
            }
            let record = entries[piece.entry].record
            let name = record.label?.name ?? ""
            byLabel[name, default: LabelSum(label: record.label, done: 0)].done += to - from
            if newest[name].map({ $0 < record.stamp }) ?? true {
                newest[name] = record.stamp
                byLabel[name]?.label = record.label
            }
        }
        labels = byLabel.sorted { ($1.value.done, $0.key) < ($0.value.done, $1.key) }.map(\.value)
        ongoing = minutes.ongoing
    }
}

/// How a week stands against its goal.
public struct WeekReport: Hashable, Sendable {
    /// What was done.
    public var sums: WeekSums
    /// Minutes that the week asks for, with what was carried over.
    public var goal: Int
    /// Minutes of the goal that are missing from weeks before.
    public var carried: Int
    /// Days in a row, up to now, on which a minute or more was done. A day that is not over yet breaks nothing.
    public var streak: Int

    /// Makes a report.
    public init(sums: WeekSums, goal: Int, carried: Int = 0, streak: Int) {
        self.sums = sums
        self.goal = goal
        self.carried = carried
        self.streak = streak
    }

    /// The weekly debt: goal minutes minus whole minutes done; positive where some are missing.
    public var debt: Int { goal - Int(sums.done / 60_000) }
}

/// Days in a row on which something was done.
public enum Streak {
    /// A day counts from so many milliseconds on.
    public static let enough: Int64 = 60_000
    /// A day shorter than this, in milliseconds, breaks nothing: the clocks jumped over it, or its zone began in it.
    public static let shortestDay: Int64 = 43_200_000

    /// - Parameter days: Milliseconds done on each day, today first, then backwards; read as far as is needed.
    public static func length(todayFirst days: some Sequence<Int64>) -> Int {
        var length = 0
        for (index, done) in days.enumerated() {
            if done >= enough { length += 1 } else if index > 0 { break }
        }
        return length
    }
}
