// SPDX-License-Identifier: Apache-2.0

import Session

/// Instants such as `2026-11-21T08:30:00.000+01:00`.
enum ZonedTime {
    static func text(_ instant: GroupTime, zone: Zone) -> String {
        let offset = zone.offset(at: instant)
        // Offsets from before time zones (local mean time) have seconds, which the format lacks.
        guard offset % 60 == 0 else { return text(instant, zone: .utc) }
        func digits(_ number: Int64, _ width: Int = 2) -> String { number.padded(to: width) }
        let local = zone.local(instant)
        let seconds = "\(digits(local.time / 1_000 % 60)).\(digits(local.time % 1_000, 3))"
        let minutes = Int64(abs(offset) / 60)
        let sign = offset < 0 ? "-" : "+"
        return "\(local.date)T\(local.clock):\(seconds)\(sign)\(digits(minutes / 60)):\(digits(minutes % 60))"
    }

    static func instant(_ text: String) -> GroupTime? {
        let parts = Array(text.utf8)
        guard parts.count == 29, parts[19] == UInt8(ascii: "."),
            [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(parts[23])
        else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: parts[range], as: UTF8.self) }
        guard let local = LocalTime(part(0..<19)), let fraction = Int64(digits: part(20..<23)),
            let offset = LocalTime.timeOfDay(part(24..<29))
        else { return nil }
        let shown = Int64(local.date.dayNumber) * LocalTime.dayLength + local.time + fraction
        return GroupTime(parts[23] == UInt8(ascii: "-") ? shown + offset : shown - offset)
    }
}
