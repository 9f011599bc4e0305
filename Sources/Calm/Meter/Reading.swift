// SPDX-License-Identifier: Apache-2.0

public import Wire

/// How calm it was while a session ran.
public struct Reading: Hashable, Sendable {
    /// Percent of the running time that was heard and quiet, 0 to 100; 100 while nothing was heard.
    public var percent: Int
    /// Percent of the running time that was heard, 0 to 100; 100 while no time has run.
    public var coverage: Int
    /// The last minute of running time against the one before; `nil` while one of them was not heard, or is not there.
    public var trend: CalmFeed.Trend?
}

extension Meter {
    /// Two minutes are the same up to so many points.
    static let steady: Int64 = 5
    private static let minute: Int64 = 60_000

    /// What was heard in running time.
    /// - Parameter stretches: The running time; an instant that is in two of them counts once.
    public func reading(of stretches: [Stretch]) -> Reading {
        let union = stretches.union
        let sums = sums(of: union)
        return Reading(
            percent: Self.percent(sums.quiet, of: sums.heard), coverage: Self.percent(sums.heard, of: union.length),
            trend: trend(of: union))
    }

    /// How much of each of the last whole minutes was quiet, in percent, the latest last; `nil` for one of which less
    /// than half was heard. None before the first minute that was heard.
    /// - Parameter count: How many at most.
    func minutes(before now: Int64, count: Int) -> [Int?] {
        let end = now / Self.minute * Self.minute
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
        let enough = Self.minute * Int64(CalmFeed.enoughCoverage) / 100
        guard new.heard >= enough, old.heard >= enough else { return nil }
        // new.quiet / new.heard - old.quiet / old.heard, without fractions.
        let difference = 100 * (new.quiet * old.heard - old.quiet * new.heard)
        let limit = Self.steady * new.heard * old.heard
        return difference > limit ? .rising : difference < -limit ? .falling : .steady
    }

    private func sums(of union: [Stretch]) -> Timeline.Sums {
        union.reduce(Timeline.Sums()) { $0 + timeline.sums(from: $1.from, to: $1.to) }
    }

    private static func percent(_ part: Int64, of whole: Int64) -> Int {
        whole == 0 ? 100 : Int((200 * part + whole) / (2 * whole))
    }
}
