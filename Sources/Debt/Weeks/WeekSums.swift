// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The time done in one week.
package struct WeekSums: Hashable, Sendable {
    package var week: Week
    /// The time done on each day.
    package var days: [Milliseconds]
    /// The time done on each label, the most first.
    package var labels: [DebtWeek.LabelSum]
    /// The running entry, if any, whose time a later reader must add.
    package var ongoing: OngoingEntry?

    package var done: Milliseconds { days.reduce(0, +) }

    /// Splits counted time at the bounds of the week and its days.
    package init(of counted: CountedTime, entries: [Entry], in week: Week) {
        self.week = week
        days = week.days.map { _ in 0 }
        var byLabel: [String: DebtWeek.LabelSum] = [:]
        // Among labels of one name the colour of the largest stamp wins.
        var newest: [String: Stamp] = [:]
        var day = 0
        for piece in counted.pieces where piece.to > week.from && piece.from < week.to {
            let (from, to) = (max(piece.from, week.from), min(piece.to, week.to))
            while week.days[day].to <= from { day += 1 }
            var spread = day
            while spread < days.count, week.days[spread].from < to {
                days[spread] += max(0, min(to, week.days[spread].to) - max(from, week.days[spread].from))
                spread += 1
            }
            let record = entries[piece.entry].record
            // Earlier versions did not trim labels.
            let name = CleanText.trimmed(record.label?.name ?? "")
            let label = name.isEmpty ? nil : record.label.map { Label(name: name, colour: $0.colour) }
            byLabel[name, default: DebtWeek.LabelSum(label: label, done: 0)].done += to - from
            if newest[name].map({ $0 < record.stamp }) ?? true {
                newest[name] = record.stamp
                byLabel[name]?.label = label
            }
        }
        labels = byLabel.sorted { ($1.value.done, $0.key) < ($0.value.done, $1.key) }.map(\.value)
        ongoing = counted.ongoing
    }
}

/// A week with its goal and its debt.
package struct WeekReport: Hashable, Sendable {
    package var sums: WeekSums
    /// The goal in minutes, including ``carried``.
    package var goal: Int
    /// The minutes of the goal carried over from the weeks before.
    package var carried = 0
    /// The number of consecutive days, up to now, with a minute or more done. Today does not break it.
    package var streak: Int

    /// The weekly debt: goal minus whole minutes done; positive while minutes are missing.
    package var debt: Int { goal - Int(sums.done.count / 60_000) }
}
