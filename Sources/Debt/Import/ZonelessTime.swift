// SPDX-License-Identifier: Apache-2.0

import Session

/// A local time without a zone, as other programs write it.
struct ZonelessTime: Hashable, CustomStringConvertible {
    var date: CivilDate
    /// Milliseconds since midnight.
    var time: Int64

    init(date: CivilDate, time: Int64) {
        self.date = date
        self.time = time
    }

    /// Parses `2026-11-21T08:30:00`, also with a space or a `-` instead of the `T`, and without seconds.
    init?(_ text: String) {
        let parts = Array(text.unicodeScalars)
        guard parts.count > 11, "T- ".unicodeScalars.contains(parts[10]),
            let date = CivilDate(String(String.UnicodeScalarView(parts[..<10]))),
            let time = Self.time(String(String.UnicodeScalarView(parts[11...])))
        else { return nil }
        self.init(date: date, time: time)
    }

    /// Parses `8:30`, `08:30:15` or `8:30:15 PM` into milliseconds since midnight.
    static func time(_ text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard let clock = words.first, let length = length(String(clock)), length < Zone.day else { return nil }
        guard words.count > 1 else { return length }
        let hour = length / 3_600_000
        guard words.count == 2, (1...12).contains(hour) else { return nil }
        let rest = length % 3_600_000 + hour % 12 * 3_600_000
        switch words[1].uppercased() {
        case "AM": return rest
        case "PM": return rest + Zone.day / 2
        default: return nil
        }
    }

    /// Parses `0:25`, `00:25:00` or `100:25:00` (hours, minutes, seconds) into milliseconds.
    static func length(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), (1...6).contains(parts[0].utf8.count),
            parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
            parts.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) })
        else { return nil }
        let numbers = parts.compactMap { Int64($0) }
        guard numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
        return (numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)) * 1_000
    }

    /// Returns the instant at which the clocks of a zone show it, the earlier of two.
    func instant(in zone: Zone) -> Int64 { zone.instant(of: date, time: time) }

    /// A canonical form such as `2026-11-21T30600000`, independent of how it was written.
    var description: String { "\(date)T\(time)" }

    /// Returns start and end as instants: of several possibilities the best fit to the length, else the earliest.
    /// - Parameter length: In milliseconds, if known.
    static func bounds(from: ZonelessTime, to: ZonelessTime, length: Int64?, in zone: Zone) -> (from: Int64, to: Int64)?
    {
        let pairs = zone.instants(of: from.date, time: from.time).flatMap { begin in
            zone.instants(of: to.date, time: to.time).map { (from: begin, to: $0) }
        }
        let possible = pairs.filter { $0.to >= $0.from }
        guard let length else { return possible.first }
        func error(_ pair: (from: Int64, to: Int64)) -> Int64 { abs(pair.to - pair.from - length) }
        // The first of the best.
        return possible.reduce(nil) { best, pair in best.map { error($0) <= error(pair) } == true ? best : pair }
    }
}

/// Formats and parses instants such as `2026-11-21T08:30:00.000+01:00`.
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
        guard let local = ZonelessTime(part(0..<19)), let fraction = Int64(part(20..<23)), fraction >= 0,
            let offset = ZonelessTime.length(part(24..<29))
        else { return nil }
        let shown = Int64(local.date.dayNumber) * Zone.day + local.time + fraction
        return parts[23] == UInt8(ascii: "-") ? shown + offset : shown - offset
    }
}
