// SPDX-License-Identifier: Apache-2.0

/// The hours of a day in which a display without a session stays dark, such as 23:00-07:00.
package struct BlankHours: Hashable, Sendable, CustomStringConvertible {
    /// Minutes since midnight, local time: 0 to 1,439.
    private let from: Int
    private let to: Int
    private static let day: Int64 = 86_400_000

    /// Parses `HH:MM-HH:MM`. An end before the start is on the next day.
    /// - Returns: `nil` for another form, an invalid time, and two equal times.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
        guard parts.count == 2, let from = parts[0], let to = parts[1], from != to else { return nil }
        self.from = from
        self.to = to
    }

    /// The hours as `HH:MM-HH:MM`.
    package var description: String { "\(Self.text(from))-\(Self.text(to))" }

    /// Returns whether displays are dark at a time.
    /// - Parameter local: Milliseconds since 1970 plus the local offset from UTC.
    package func contain(_ local: Int64) -> Bool {
        let minute = Int(Self.intoDay(local) / 60_000)
        return from < to ? (from..<to).contains(minute) : !(to..<from).contains(minute)
    }

    /// Returns the milliseconds from a local time until displays become dark or light next.
    package func untilChange(_ local: Int64) -> Int64 {
        [from, to].map { minute in
            let left = Int64(minute) * 60_000 - Self.intoDay(local)
            return left > 0 ? left : left + Self.day
        }.min() ?? Self.day
    }

    private static func intoDay(_ local: Int64) -> Int64 { (local % day + day) % day }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    private static func text(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
