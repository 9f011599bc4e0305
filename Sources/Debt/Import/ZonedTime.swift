// SPDX-License-Identifier: Apache-2.0

import Session

/// A local time without a zone, such as `2026-11-21T08:30:15`, also without seconds.
struct LocalTime {
    var date: CivilDate
    /// Milliseconds since midnight.
    var time: Int64

    init?(_ text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let date = CivilDate(parts[0]), let time = Self.time(parts[1]) else { return nil }
        (self.date, self.time) = (date, time)
    }

    /// Parses `08:30` or `08:30:15` into milliseconds since midnight.
    static func time(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let numbers = parts.compactMap { $0.utf8.count == 2 && $0.utf8.allSatisfy(digits.contains) ? Int64($0) : nil }
        guard (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] < 24,
            numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        return (numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)) * 1_000
    }
}

enum ZonedTime {
    static func text(_ instant: Int64, zone: Zone) -> String {
        let offset = zone.offset(at: instant)
        // Offsets from before time zones (local mean time) have seconds, which the format lacks.
        guard offset % 60_000 == 0 else { return text(instant, zone: .utc) }
        let (date, time) = zone.local(instant)
        func digits(_ number: Int64, _ width: Int = 2) -> String { CivilDate.padded(Int(number), width) }
        let clock = "\(digits(time / 3_600_000)):\(digits(time / 60_000 % 60)):\(digits(time / 1_000 % 60))"
        let minutes = abs(offset) / 60_000
        let sign = offset < 0 ? "-" : "+"
        return "\(date)T\(clock).\(digits(time % 1_000, 3))\(sign)\(digits(minutes / 60)):\(digits(minutes % 60))"
    }

    /// Parses an instant; `nil` for anything else.
    static func instant(_ text: String) -> Int64? {
        let parts = Array(text.utf8)
        guard parts.count == 29, parts[19] == UInt8(ascii: "."),
            [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(parts[23])
        else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: parts[range], as: UTF8.self) }
        guard let local = LocalTime(part(0..<19)), let fraction = Int64(part(20..<23)), fraction >= 0,
            let offset = LocalTime.time(part(24..<29))
        else { return nil }
        let shown = Int64(local.date.dayNumber) * Zone.day + local.time + fraction
        return parts[23] == UInt8(ascii: "-") ? shown + offset : shown - offset
    }
}
