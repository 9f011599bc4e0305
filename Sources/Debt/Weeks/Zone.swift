// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Session

/// A time zone of the IANA database. With Foundation's `Calendar` and `ISO8601FormatStyle` a week of the ledger took
/// longer, and programs started later and were larger.
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

    /// Returns the name in the path of a zone's file. A text that is no such path is returned as it is.
    private static func withoutFolder(_ path: String) -> String {
        let parts = path.split(separator: "/")
        return parts.lastIndex(of: "zoneinfo").map { parts[($0 + 1)...].joined(separator: "/") } ?? path
    }

    package static func == (one: Zone, other: Zone) -> Bool { one.name == other.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    package var description: String { name }

    /// Returns the offset from universal time in seconds, positive to the east.
    package func offset(at instant: GroupTime) -> Int {
        Int(table.offset(at: Int64(CivilDate.floor(Int(instant.milliseconds), 1_000))))
    }

    package func local(_ instant: GroupTime) -> LocalTime {
        LocalTime(at: instant.milliseconds, offset: offset(at: instant))
    }

    /// Returns the first of ``instants(of:time:)``.
    package func instant(of date: CivilDate, time: Int64) -> GroupTime { instants(of: date, time: time)[0] }

    /// Returns the instants of a local time by ``LocalTime/instants(of:time:offset:)``.
    package func instants(of date: CivilDate, time: Int64) -> [GroupTime] {
        LocalTime.instants(of: date, time: time) { offset(at: GroupTime($0)) }.map { GroupTime($0) }
    }

    /// Parses a day, a local time, or a time as `history --csv` prints it. A local time can have seconds. There are two
    /// instants if the clocks are set back over it, and none for another text.
    package func instants(_ text: String) -> [GroupTime] {
        if let instant = ZonedTime.instant(text) { return [instant] }
        if let date = CivilDate(text) { return instants(of: date, time: 0) }
        return LocalTime(text).map { instants(of: $0.date, time: $0.time) } ?? []
    }

    package func text(of instant: GroupTime) -> String {
        let local = local(instant)
        return "\(local.date)T\(local.clock)"
    }
}
