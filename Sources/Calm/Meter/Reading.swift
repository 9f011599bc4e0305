// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The result of measuring the quiet of a session.
struct Reading: Hashable, Sendable {
    /// Percent of the measured running time that was quiet, 0 to 100; 100 while nothing was measured.
    var percent: Int
    /// Percent of the running time that was measured, 0 to 100; 100 while no time has run.
    var coverage: Int
    /// The last minute of running time against the one before; `nil` while either is missing or barely measured.
    var trend: CalmFeed.Trend?
}

extension QuietMeter {
    /// The difference of two minutes, in percentage points, up to which the trend is steady.
    static let steady: Int64 = 5
    private static let minute: Milliseconds = .minutes(1)

    /// Computes the reading of a session's running time, given as stretches; overlaps count once.
    func reading(of stretches: [Stretch]) -> Reading {
        let union = stretches.union
        let sums = sums(of: union)
        return Reading(
            percent: Self.percent(sums.quiet, of: sums.heard), coverage: Self.percent(sums.heard, of: union.length),
            trend: trend(of: union))
    }

    /// Returns the percentage of quiet of each of the last whole minutes, the latest last. A minute of which less than
    /// half was measured is `nil`; such minutes at the beginning are left out.
    func minutes(before now: BootTime, count: Int) -> [Int?] {
        let end = BootTime(now.milliseconds / Self.minute.count * Self.minute.count)
        let minutes = (1...count).reversed().map { back -> Int? in
            let from = end - Int64(back) * Self.minute
            let sums = timeline.sums(from: from, to: from + Self.minute)
            return 2 * sums.heard < Self.minute ? nil : Self.percent(sums.quiet, of: sums.heard)
        }
        return Array(minutes.drop { $0 == nil })
    }

    private func trend(of union: [Stretch]) -> CalmFeed.Trend? {
        let (earlier, last) = union.split(last: Self.minute)
        let before = earlier.split(last: Self.minute).last
        guard before.length == Self.minute else { return nil }
        let (new, old) = (sums(of: last), sums(of: before))
        let enough = Int64(CalmFeed.enoughCoverage) * Self.minute / 100
        guard new.heard >= enough, old.heard >= enough else { return nil }
        // new.quiet / new.heard - old.quiet / old.heard, in integers.
        let difference = 100 * (new.quiet.count * old.heard.count - old.quiet.count * new.heard.count)
        let limit = Self.steady * new.heard.count * old.heard.count
        return difference > limit ? .rising : difference < -limit ? .falling : .steady
    }

    private func sums(of union: [Stretch]) -> SoundTimeline.Sums {
        union.reduce(SoundTimeline.Sums()) { $0 + timeline.sums(from: $1.from, to: $1.to) }
    }

    private static func percent(_ part: Milliseconds, of whole: Milliseconds) -> Int {
        whole == 0 ? 100 : Int((200 * part + whole).count / (2 * whole).count)
    }
}
