// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

private let boot: Int64 = 1_000_000
private let hour: Int64 = 3_600_000
private let in2099: Int64 = 4_086_000_000_000

/// The choice of the clock that tells group time.
@Suite(.timeLimit(.minutes(5))) struct GroupClockTests {
    /// A node's clock: its lead over the true time (`EngineHarness.epoch`), and whether it is synchronised.
    struct Clock {
        var node: String
        var reads: Int64
        var isSynced = false
        /// The lead of the mark in its journal.
        var mark: Int64 = 0

        init(_ node: String, _ reads: Int64, synced: Bool = false, mark: Int64 = 0) {
            self.node = node
            self.reads = reads
            isSynced = synced
            self.mark = mark
        }
    }

    /// A clock at a date, far from the truth.
    static func at(_ date: Int64) -> Int64 { date - EngineHarness.epoch }

    /// - Returns: The lead of group time over the true time; whether it equals the own clock.
    static func choose(_ own: Clock, _ others: [Clock], before: [Clock]? = nil) -> (time: Int64, isOwn: Bool) {
        let now = Instant(boot: boot, wall: EngineHarness.epoch + own.reads, wallBound: own.isSynced ? 5 : nil)
        var clock = GroupClock(mark: HybridClock(time: EngineHarness.epoch + own.mark), at: now)
        for clocks in [before, others].compactMap(\.self) {
            let readings = clocks.map { other in
                GroupClock.Reading(
                    node: id(other.node), lead: EngineHarness.epoch + other.reads - boot,
                    groupLead: EngineHarness.epoch + other.mark - boot, isVouched: other.isSynced,
                    isPresent: true)
            }
            clock.choose(from: readings, own: id(own.node), isComplete: true, at: now)
        }
        let time = clock.time(at: now) - EngineHarness.epoch
        return (time, time == own.reads)
    }

    /// Name, own clock, other clocks, lead of group time, and whether the own clock tells it.
    static let rows: [(String, Clock, [Clock], Int64, Bool)] = [
        ("alone, synchronised", Clock("d", 0, synced: true), [], 0, true),
        ("alone, not synchronised, plausible", Clock("d", hour), [], hour, true),
        ("one that is synchronised", Clock("d", hour), [Clock("a", 7, synced: true)], 7, false),
        (
            "synchronised against many that are not", Clock("d", 0, synced: true),
            [Clock("a", hour), Clock("b", hour)], 0, true
        ),
        (
            "two synchronised clocks do not outvote a third", Clock("d", hour, synced: true),
            [Clock("a", 1, synced: true), Clock("b", 2, synced: true)], hour, true
        ),
        (
            "three synchronised clocks outvote a fourth", Clock("d", hour, synced: true),
            [Clock("a", 1, synced: true), Clock("b", 2, synced: true), Clock("c", 3, synced: true)], 2, false
        ),
        (
            "three that differ by ten seconds do not", Clock("d", 10_000, synced: true),
            [Clock("a", 0, synced: true), Clock("b", 0, synced: true), Clock("c", 0, synced: true)], 10_000, true
        ),
        (
            "three that agree do not where only two of them contradict it", Clock("d", 0, synced: true),
            [Clock("a", 9_000, synced: true), Clock("b", 10_500, synced: true), Clock("c", 18_000, synced: true)],
            0, true
        ),
        (
            "three against three are no majority", Clock("d", hour, synced: true),
            ["a", "b", "c"].map { Clock($0, 0, synced: true) } + ["e", "f"].map { Clock($0, hour, synced: true) },
            hour, true
        ),
        (
            "one of the synchronised clocks is wrong", Clock("d", 0, synced: true),
            [Clock("a", hour, synced: true), Clock("b", 40, synced: true)], 0, true
        ),
        (
            "two synchronised clocks each keep their own time", Clock("d", 0, synced: true),
            [Clock("a", hour, synced: true)], 0, true
        ),
        ("the same from the other side", Clock("d", hour, synced: true), [Clock("a", 0, synced: true)], hour, true),
        ("not synchronised, but near enough", Clock("d", 2_000), [Clock("a", 0), Clock("b", 0)], 2_000, true),
        ("not near enough", Clock("d", 2_001), [Clock("a", 0), Clock("b", 0)], 0, false),
        (
            "of two synchronised clocks the one nearer to the own clock", Clock("d", -hour),
            [Clock("a", 0, synced: true), Clock("b", 8 * hour, synced: true)], 0, false
        ),
        (
            "of two synchronised clocks the earlier, without a plausible own clock", Clock("d", at(9)),
            [Clock("a", 0, synced: true), Clock("b", 8 * hour, synced: true)], 0, false
        ),
        ("synchronised and near enough", Clock("d", -2_000, synced: true), [Clock("a", 0, synced: true)], -2_000, true),
        ("near, but not synchronised as the other is", Clock("d", 100), [Clock("a", 0, synced: true)], 0, false),
        ("the middle of the plausible ones", Clock("d", hour), [Clock("a", -hour), Clock("b", 10)], 10, false),
        ("the middle is the own one", Clock("d", 5), [Clock("a", -hour), Clock("b", hour)], 5, true),
        (
            "of two plausible ones the later: a clock without a battery stands still", Clock("d", -hour),
            [Clock("a", 0)], 0, false
        ),
        ("1970", Clock("d", at(60_000)), [Clock("a", 0)], 0, false),
        ("1970, and a majority in 1970", Clock("d", at(9)), [Clock("a", at(9)), Clock("b", 3)], 3, false),
        ("2099", Clock("d", at(in2099)), [Clock("a", 0)], 0, false),
        (
            "2099 is not believed even if it is called synchronised", Clock("d", 0),
            [Clock("a", at(in2099), synced: true)], 0, true
        ),
        (
            "2099 of the own clock is not believed either", Clock("d", at(in2099), synced: true),
            [Clock("a", 4), Clock("b", at(in2099), synced: true)], 4, false
        ),
        ("no plausible clock: the own mark", Clock("d", at(9), mark: -hour), [], -hour, false),
        (
            "no plausible clock: the latest mark", Clock("d", at(9), mark: -hour),
            [Clock("a", at(in2099), mark: 5_000), Clock("b", at(1), mark: -5_000)], 5_000, false
        ),
        (
            "no mark either: the earliest possible time", Clock("d", at(9), mark: at(0)), [],
            at(Limits.earliestStamp), false
        ),
        (
            "an impossible mark is not believed", Clock("d", at(9), mark: -hour),
            [Clock("a", at(1), mark: at(in2099))], -hour, false
        ),
        (
            "marks with a negligible difference", Clock("d", at(9), mark: 0), [Clock("a", at(1), mark: 2_000)], 0,
            false
        ),
    ]

    @Test(arguments: rows.indices) func choiceFollowsTheKnownClocks(index: Int) {
        let (name, own, others, time, isOwn) = Self.rows[index]
        let chosen = Self.choose(own, others)
        #expect(chosen.time == time, "\(name)")
        #expect(chosen.isOwn == isOwn, "\(name)")
        let turned = Self.choose(own, others.reversed())
        #expect(turned.time == time, "\(name), in another order")
        #expect(turned.isOwn == isOwn, "\(name), in another order")
    }

    /// All nodes poll the same references and compute the same time.
    @Test func sameClocksGiveTheSameTime() {
        for clocks in [
            [Clock("a", hour), Clock("b", 0), Clock("c", -hour)],
            [Clock("a", hour, synced: true), Clock("b", 0), Clock("c", -hour)],
            [Clock("a", at: 9), Clock("b", hour), Clock("c", at: in2099)],
        ] {
            let times = clocks.indices.map { index in
                var others = clocks
                let own = others.remove(at: index)
                return Self.choose(own, others).time
            }
            #expect(Set(times).count == 1, "\(times)")
        }
    }

    /// In a large space only the first nodes by name vote.
    @Test func onlyTheFirstNodesVote() {
        let seven = (0..<7).map { Clock("a\($0)", 0) }
        let many = (0..<9).map { Clock("b\($0)", hour) }
        #expect(Self.choose(Clock("z", hour), seven + many).time == 0)
        #expect(Self.choose(Clock("a", hour), Array(seven.dropFirst()) + many).time == 0)
    }

    /// Jitter of the estimates does not move group time.
    @Test func smallDifferenceKeepsTheChoice() {
        let own = Clock("d", hour)
        let first = [Clock("a", 0, synced: true)]
        #expect(Self.choose(own, [Clock("a", 50, synced: true)], before: first).time == 0)
        #expect(Self.choose(own, [Clock("a", 51, synced: true)], before: first).time == 51)
        #expect(Self.choose(own, [], before: first).time == hour, "no node is left to follow")
    }

    /// Without a plausible clock, group time continues from the mark with the boot clock.
    @Test func markAdvancesWithTheBootClock() {
        let now = Instant(boot: boot, wall: 77)
        var clock = GroupClock(mark: HybridClock(time: EngineHarness.epoch), at: now)
        clock.choose(from: [], own: id("d"), isComplete: true, at: now)
        #expect(clock.time(at: Instant(boot: boot + 5_000, wall: 0)) == EngineHarness.epoch + 5_000)
        #expect(clock.time(at: Instant(boot: boot + 5_000, wall: in2099)) == EngineHarness.epoch + 5_000)
    }

    @Test func wallClockStepIsNoticed() {
        let now = Instant(boot: boot, wall: EngineHarness.epoch)
        let clock = GroupClock(mark: HybridClock(), at: now)
        func hasMoved(_ passed: Int64, _ wall: Int64, _ bound: Int64? = nil) -> Bool {
            clock.hasMoved(at: Instant(boot: boot + passed, wall: EngineHarness.epoch + wall, wallBound: bound))
        }
        #expect(!hasMoved(5_000, 5_000))
        #expect(!hasMoved(5_000, 6_000))
        #expect(!hasMoved(0, -1_000))
        #expect(hasMoved(5_000, 6_001))
        #expect(hasMoved(0, -1_001))
        #expect(hasMoved(0, 0, 5))
    }
}

extension GroupClockTests.Clock {
    init(_ node: String, at date: Int64) { self.init(node, GroupClockTests.at(date)) }
}
