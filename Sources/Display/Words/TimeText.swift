// SPDX-License-Identifier: Apache-2.0

/// How a number of seconds is written.
public enum TimeText {
    /// What stands before a time that may be wrong by more than a quarter of a second.
    public static let approximateSign = "≈"

    /// `5:00`, or `05:00` where the minutes are padded; `1:00:00` from an hour on.
    public static func text(seconds: Int, padded: Bool) -> String {
        let seconds = max(seconds, 0)
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        guard hours == 0 else { return "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds % 60))" }
        return "\(padded ? twoDigits(minutes) : String(minutes)):\(twoDigits(seconds % 60))"
    }

    /// The ways to write a time from an hour on, widest first, for places where ``text(seconds:padded:)`` is too wide:
    /// `75:00` below a hundred minutes, then `2h15`. The last has at most five characters, up to a day.
    public static func shorter(seconds: Int, hourMark: String) -> [String] {
        guard seconds >= 3_600 else { return [] }
        let hours = "\(seconds / 3_600)\(hourMark)\(twoDigits(seconds / 60 % 60))"
        guard seconds < 6_000 else { return [hours] }
        return ["\(seconds / 60):\(twoDigits(seconds % 60))", hours]
    }

    /// `24m`, from two hours on `2h15m`: begun minutes of what is left, full ones of what has passed.
    public static func minutes(seconds: Int, isCountUp: Bool) -> String {
        let minutes = (max(seconds, 0) + (isCountUp ? 0 : 59)) / 60
        return minutes < 120 ? "\(minutes)m" : "\(minutes / 60)h\(twoDigits(minutes % 60))m"
    }

    /// `14:05`: the time of day at an instant.
    /// - Parameters:
    ///   - time: Milliseconds since 1970.
    ///   - offset: Seconds that the place is ahead of UTC then.
    public static func clock(_ time: Int64, offset: Int) -> String {
        let (day, minute) = (Int64(86_400), Int64(60))
        let local = ((time / 1_000 + Int64(offset)) % day + day) % day
        return "\(twoDigits(Int(local / 3_600))):\(twoDigits(Int(local / minute % minute)))"
    }

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
}
