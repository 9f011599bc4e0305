// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Session

/// A time zone of the IANA database. ``ZoneTable`` knows the offsets; days, weeks and texts are computed here.
/// Foundation's `Calendar` and `ISO8601FormatStyle` were measured in their place and rejected: a week of the ledger
/// took longer, programs started later and were larger.
package struct Zone: Hashable, Sendable, CustomStringConvertible {
    private let name: String
    private let table: ZoneTable

    /// Creates a zone from a name such as `Europe/Berlin` or `UTC`; `nil` for an unknown name.
    package init?(_ name: String) {
        let isUniversal = name == "UTC" || name == "GMT"
        guard let table = isUniversal ? ZoneTable.utc : ZoneTable(named: name) else { return nil }
        self.init(name: name, table: table)
    }

    /// The zone of this machine: that of the variable `TZ` or of `/etc/localtime`; else UTC.
    package static var current: Zone {
        if let text = getenv("TZ").map({ String(cString: $0) }), !text.isEmpty {
            let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
            if let zone = Zone(withoutFolder(name)) { return zone }
        }
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/etc/localtime", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return Zone(withoutFolder(path)) ?? utc
    }

    package static var utc: Zone { Zone(name: "UTC", table: .utc) }

    private init(name: String, table: ZoneTable) {
        self.name = name
        self.table = table
    }

    /// The name in the path of a zone's file; a name that is no path as it is.
    private static func withoutFolder(_ path: String) -> String {
        let parts = path.split(separator: "/")
        return parts.lastIndex(of: "zoneinfo").map { parts[($0 + 1)...].joined(separator: "/") } ?? path
    }

    package static func == (one: Zone, other: Zone) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    package var description: String { name }

    /// Returns the offset from universal time, positive to the east. Times are in milliseconds, instants since 1970.
    package func offset(at instant: Int64) -> Int64 {
        let second = instant >= 0 ? instant / 1_000 : (instant - 999) / 1_000
        return table.offset(at: second) * 1_000
    }

    /// Returns the local time at an instant in milliseconds since 1970.
    package func local(_ instant: Int64) -> LocalTime {
        LocalTime(at: instant, offset: Int(offset(at: instant) / 1_000))
    }

    /// Returns the first of ``instants(of:time:)``.
    package func instant(of date: CivilDate, time: Int64) -> Int64 { instants(of: date, time: time)[0] }

    /// Returns the instants of a local time, the earlier first: two when the clocks are set back over it. For a local
    /// time that the clocks skip it is the instant of the jump.
    package func instants(of date: CivilDate, time: Int64) -> [Int64] {
        let shown = Int64(date.dayNumber) * LocalTime.day + time
        // No zone changes its offset twice within these two days.
        let before = offset(at: shown - LocalTime.day)
        let after = offset(at: shown + LocalTime.day)
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
}
