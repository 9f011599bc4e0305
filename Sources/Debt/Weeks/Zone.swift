// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Session

/// A time zone by its name in the IANA database.
public struct Zone: Hashable, Sendable, CustomStringConvertible {
    private let zone: TimeZone

    /// `Europe/Berlin`, `UTC`; `nil` for a name that nobody knows.
    public init?(_ name: String) {
        guard let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// The zone of this machine.
    public static var current: Zone { Zone(zone: TimeZone.current) }

    /// Universal time.
    public static var utc: Zone { Zone(zone: .gmt) }

    private init(zone: TimeZone) { self.zone = zone }

    /// The name.
    public var description: String { zone.identifier }

    /// Milliseconds that the zone's clocks are ahead of universal time at an instant, given in milliseconds since 1970.
    public func offset(at instant: Int64) -> Int64 {
        let second = instant >= 0 ? instant / 1_000 : (instant - 999) / 1_000
        return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))) * 1_000
    }

    /// The day and the milliseconds since its midnight that the zone's clocks show at an instant.
    public func local(_ instant: Int64) -> (date: CivilDate, time: Int64) {
        let shown = instant + offset(at: instant)
        let day = CivilDate.floor(Int(shown), Int(Self.day))
        return (CivilDate(dayNumber: day), shown - Int64(day) * Self.day)
    }

    /// When the zone's clocks show a time of a day: the first of two such instants, and where the clocks jump over it, the
    /// instant of the jump.
    /// - Parameter time: Milliseconds since midnight.
    public func instant(of date: CivilDate, time: Int64) -> Int64 { instants(of: date, time: time)[0] }

    /// All instants at which the zone's clocks show a time of a day, the earlier first: two where they are set back; where
    /// they jump over it, the instant of the jump.
    /// - Parameter time: Milliseconds since midnight.
    public func instants(of date: CivilDate, time: Int64) -> [Int64] {
        let shown = Int64(date.dayNumber) * Self.day + time
        // No zone changes its clocks twice within the day before and the day after.
        let before = offset(at: shown - Self.day)
        let after = offset(at: shown + Self.day)
        let candidates = [shown - max(before, after), shown - min(before, after)]
        let exact = candidates.filter { $0 + offset(at: $0) == shown }
        if !exact.isEmpty { return exact[0] == exact[exact.count - 1] ? [exact[0]] : exact }
        var (low, high) = (candidates[0], candidates[1])
        // The jump lies between: before it the clocks show less, from it on more.
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if middle + offset(at: middle) < shown { low = middle } else { high = middle }
        }
        return [high]
    }

    static let day: Int64 = 86_400_000
}
