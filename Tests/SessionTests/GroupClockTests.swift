// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

private let boot: BootTime = 1_000_000
private let hour: Milliseconds = 3_600_000
private let in2099: GroupTime = 4_086_000_000_000

@Suite(.timeLimit(.minutes(15))) struct GroupClockTests {
    /// A node's clock: its lead over the true time (`EngineHarness.epoch`), and whether it is synchronised.
    struct Clock {
        var node: String
        var reads: Milliseconds
        var isSynced = false
        /// The lead of the mark in its journal.
        var mark: Milliseconds = 0

        init(_ node: String, _ reads: Milliseconds, synced: Bool = false, mark: Milliseconds = 0) {
            self.node = node
            self.reads = reads
            isSynced = synced
            self.mark = mark
        }
    }

    /// A clock at a date, far from the truth.
    static func at(_ date: GroupTime) -> Milliseconds { date - EngineHarness.epoch }

    /// Returns the lead of group time over the true time, and whether it equals the own clock.
    static func choose(_ own: Clock, _ others: [Clock], before: [Clock]? = nil) -> (time: Milliseconds, isOwn: Bool) {
        let now = Instant(boot: boot, telling: EngineHarness.epoch + own.reads, bound: own.isSynced ? 5 : nil)
        var clock = GroupClock(mark: HybridClock(time: EngineHarness.epoch + own.mark), at: now)
        for clocks in [before, others].compactMap(\.self) {
            let readings = clocks.filter(\.isSynced).map { other in
                GroupClock.Reading(
                    node: id(other.node), lead: EngineHarness.epoch + other.reads - boot, isPresent: true)
            }
            clock.choose(from: readings, claims: clocks.map { EngineHarness.epoch + $0.mark - boot }, at: now)
        }
        let time = clock.time(at: now) - EngineHarness.epoch
        return (time, time == own.reads)
    }

    /// Name, own clock, other clocks, lead of group time, and whether the own clock tells it.
    static let rows: [(String, Clock, [Clock], Milliseconds, Bool)] = [
        ("alone, synchronised", Clock("d", 0, synced: true), [], 0, true),
        ("alone, not synchronised, plausible", Clock("d", hour), [], hour, true),
        ("one that is synchronised", Clock("d", hour), [Clock("a", 7, synced: true)], 7, false),
        (
            "synchronised against many that are not", Clock("d", 0, synced: true),
            [Clock("a", hour), Clock("b", hour)], 0, true
        ),
        (
            "any number of synchronised clocks against one", Clock("d", hour, synced: true),
            ["a", "b", "c", "e", "f", "g"].map { Clock($0, 1, synced: true) }, hour, true
        ),
        (
            "two synchronised clocks each keep their own time", Clock("d", 0, synced: true),
            [Clock("a", hour, synced: true)], 0, true
        ),
        ("the same from the other side", Clock("d", hour, synced: true), [Clock("a", 0, synced: true)], hour, true),
        (
            "the middle of the synchronised ones", Clock("d", hour),
            [Clock("a", -hour, synced: true), Clock("b", 10, synced: true), Clock("c", 2 * hour, synced: true)], 10,
            false
        ),
        ("not synchronised, as the others", Clock("d", hour), [Clock("a", 0), Clock("b", 0)], hour, true),
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
        ("1970 beside a synchronised clock", Clock("d", at(60_000)), [Clock("a", 3, synced: true)], 3, false),
        (
            "2099 is not believed even if it is called synchronised", Clock("d", 0),
            [Clock("a", at(in2099), synced: true)], 0, true
        ),
        (
            "2099 of the own clock is not believed either", Clock("d", at(in2099), synced: true),
            [Clock("a", 4, synced: true), Clock("b", at(in2099), synced: true)], 4, false
        ),
        ("no plausible clock: the own mark", Clock("d", at(9), mark: -hour), [], -hour, false),
        (
            "no plausible clock: the latest time that is stated", Clock("d", at(9), mark: -hour),
            [Clock("a", at(in2099), mark: 5_000), Clock("b", at(1), mark: -5_000)], 5_000, false
        ),
        (
            "no mark either: the earliest possible time", Clock("d", at(9), mark: at(0)), [],
            at(Limits.earliestStamp), false
        ),
        (
            "a stated time that is impossible is not believed", Clock("d", at(9), mark: -hour),
            [Clock("a", at(1), mark: at(in2099))], -hour, false
        ),
        (
            "a stated time with a negligible difference", Clock("d", at(9), mark: 0), [Clock("a", at(1), mark: 2_000)],
            0, false
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

    /// A clock of an offline node counts only while no online one is known.
    @Test func onlineClocksComeFirst() {
        let now = Instant(boot: boot, telling: EngineHarness.epoch + hour)
        func reading(_ node: String, _ reads: Milliseconds, isPresent: Bool) -> GroupClock.Reading {
            GroupClock.Reading(node: id(node), lead: EngineHarness.epoch + reads - boot, isPresent: isPresent)
        }
        var clock = GroupClock(mark: HybridClock(), at: now)
        let gone = [reading("a", 60_000, isPresent: false), reading("b", 60_000, isPresent: false)]
        clock.choose(from: gone + [reading("c", 0, isPresent: true)], at: now)
        #expect(clock.time(at: now) == EngineHarness.epoch)
        clock.choose(from: gone, at: now)
        #expect(clock.time(at: now) == EngineHarness.epoch + 60_000)
    }

    /// Jitter of the estimates does not move group time.
    @Test func smallDifferenceKeepsTheChoice() {
        let own = Clock("d", hour)
        let first = [Clock("a", 0, synced: true)]
        #expect(Self.choose(own, [Clock("a", 50, synced: true)], before: first).time == 0)
        #expect(Self.choose(own, [Clock("a", 51, synced: true)], before: first).time == 51)
        #expect(Self.choose(own, [], before: first).time == hour, "no node is left to follow")
    }

    @Test func markAdvancesWithTheBootClock() {
        let now = Instant(boot: boot, wall: 77)
        var clock = GroupClock(mark: HybridClock(time: EngineHarness.epoch), at: now)
        clock.choose(from: [], at: now)
        #expect(clock.time(at: Instant(boot: boot + 5_000, wall: 0)) == EngineHarness.epoch + 5_000)
        #expect(clock.time(at: Instant(boot: boot + 5_000, telling: in2099)) == EngineHarness.epoch + 5_000)
    }

    @Test func wallClockStepIsNoticed() {
        let now = Instant(boot: boot, telling: EngineHarness.epoch)
        let clock = GroupClock(mark: HybridClock(), at: now)
        func hasMoved(_ passed: Milliseconds, _ wall: Milliseconds, _ bound: Milliseconds? = nil) -> Bool {
            clock.hasMoved(at: Instant(boot: boot + passed, telling: EngineHarness.epoch + wall, bound: bound))
        }
        #expect(!hasMoved(5_000, 5_000))
        #expect(!hasMoved(5_000, 6_000))
        #expect(!hasMoved(0, -1_000))
        #expect(hasMoved(5_000, 6_001))
        #expect(hasMoved(0, -1_001))
        #expect(hasMoved(0, 0, 5))
    }
}
