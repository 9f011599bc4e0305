// SPDX-License-Identifier: Apache-2.0

/// A date and a time of the day, without a time zone.
public struct LocalTime: Hashable, Sendable {
    public var date: CivilDate
    /// Milliseconds since midnight.
    public var time: Int64

    /// Milliseconds of a day.
    public static let dayLength: Int64 = 86_400_000

    /// Computes the local time of an instant.
    /// - Parameters:
    ///   - instant: Milliseconds since 1970.
    ///   - offset: The local offset from UTC in seconds, positive to the east.
    public init(at instant: Int64, offset: Int) {
        let second = CivilDate.floor(Int(instant), 1_000) + offset
        date = CivilDate(dayNumber: CivilDate.floor(second, 86_400))
        time = Int64((second - date.dayNumber * 86_400) * 1_000 + CivilDate.modulo(Int(instant), 1_000))
    }

    /// Reads `2026-11-21T08:30:15`, also without seconds.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let date = CivilDate(parts[0]), let time = Self.timeOfDay(parts[1]) else { return nil }
        (self.date, self.time) = (date, time)
    }

    /// Reads `08:30`, `8:30` or `08:30:15` as milliseconds since midnight.
    public static func timeOfDay(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.enumerated().map { index, part in
            // A minute with one digit is half typed.
            (index == 0 ? 1...2 : 2...2).contains(part.utf8.count) ? Int64(digits: part) ?? -1 : -1
        }
        guard (2...3).contains(numbers.count), (0..<24).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0..<60).contains($0) })
        else { return nil }
        return (numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)) * 1_000
    }

    /// Returns the instants of a local time, the earlier first: two when the clocks are set back over it. For a local
    /// time that the clocks skip it is the instant of the jump.
    /// - Parameters:
    ///   - date: The local day.
    ///   - time: Milliseconds since midnight.
    ///   - seconds: Returns the local offset from UTC at an instant.
    package static func instants(of date: CivilDate, time: Int64, offset seconds: (Int64) -> Int) -> [Int64] {
        func offset(at instant: Int64) -> Int64 { Int64(seconds(instant)) * 1_000 }
        let shown = Int64(date.dayNumber) * dayLength + time
        // No zone changes its offset twice within these two days.
        let before = offset(at: shown - dayLength)
        let after = offset(at: shown + dayLength)
        let candidates = [shown - max(before, after), shown - min(before, after)]
        let exact = candidates.filter { $0 + offset(at: $0) == shown }
        if !exact.isEmpty { return exact[0] == exact[exact.count - 1] ? [exact[0]] : exact }
        var (low, high) = (candidates[0], candidates[1])
        // Bisect to the jump: before it local time is less than the one searched, after it more.
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if middle + offset(at: middle) < shown { low = middle } else { high = middle }
        }
        return [high]
    }

    /// The hour and the minute, as `08:30`.
    public var clock: String { Self.clock(time) }

    /// Returns the hour and the minute of milliseconds since midnight, as `08:30`.
    public static func clock(_ time: Int64) -> String {
        "\((time / 3_600_000).padded(to: 2)):\((time / 60_000 % 60).padded(to: 2))"
    }
}
