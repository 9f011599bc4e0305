// SPDX-License-Identifier: Apache-2.0

import Session

/// The hours of a day in which a display without a session stays dark, such as 23:00-07:00.
package struct BlankHours: Hashable, Sendable, CustomStringConvertible {
    /// Milliseconds since midnight, local time.
    private let from: Int64
    private let to: Int64

    /// Parses `HH:MM-HH:MM`. An end before the start is on the next day.
    /// - Returns: `nil` for another form, an invalid time, and two equal times.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { LocalTime.timeOfDay($0) }
        guard parts.count == 2, let from = parts[0], let to = parts[1], from != to else { return nil }
        (self.from, self.to) = (from, to)
    }

    package var description: String { "\(LocalTime.clock(from))-\(LocalTime.clock(to))" }

    /// Returns whether displays are dark at a time.
    /// - Parameter local: Milliseconds since 1970 plus the local offset from UTC.
    package func contains(_ local: Int64) -> Bool {
        let time = LocalTime(at: local, offset: 0).time
        return from < to ? (from..<to).contains(time) : !(to..<from).contains(time)
    }

    /// Returns the milliseconds from a local time until displays become dark or light next.
    package func untilChange(_ local: Int64) -> Int64 {
        let time = LocalTime(at: local, offset: 0).time
        let left = [from, to].map { ($0 - time + LocalTime.dayLength) % LocalTime.dayLength }
        return left.map { $0 == 0 ? LocalTime.dayLength : $0 }.min() ?? LocalTime.dayLength
    }
}
