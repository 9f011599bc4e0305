// SPDX-License-Identifier: Apache-2.0

import Session
import Testing
import Wire

@testable import Calm

@Suite(.timeLimit(.minutes(15))) struct QuietMeterTests {
    private static let now: BootTime = 10_000_000

    private func meter(_ mixing: Mixing = .loudest) -> QuietMeter {
        QuietMeter(threshold: Threshold(level: 400, mixing: mixing))
    }

    /// Adds a sample per second, from a second of the hour on; `true` is quiet.
    private func hear(_ meter: inout QuietMeter, _ sounds: [Bool], from second: Int64 = 0, source: String = "mic") {
        for (index, isQuiet) in sounds.enumerated() {
            let from = Self.now + .seconds(second + Int64(index))
            meter.add(
                TimedLevel(source: source, from: from, period: 1_000, level: isQuiet ? 399 : 400), at: from + 1_000)
        }
    }

    private func stretch(_ from: Int64, _ to: Int64) -> Stretch {
        Stretch(from: Self.now + .seconds(from), to: Self.now + .seconds(to))
    }

    @Test func newMeterIsCalm() {
        #expect(meter().reading(of: []) == Reading(percent: 100, coverage: 100))
        #expect(meter().reading(of: [stretch(0, 60)]) == Reading(percent: 100, coverage: 0))
    }

    @Test func levelAtTheThresholdIsLoud() {
        var meter = meter()
        hear(&meter, [true, false, true, true])
        #expect(meter.reading(of: [stretch(0, 4)]) == Reading(percent: 75, coverage: 100))
        #expect(meter.reading(of: [stretch(1, 2)]).percent == 0)
        #expect(meter.level(at: Self.now + 1_500) == 400)
        #expect(meter.level(at: Self.now + 5_000) == nil)
    }

    @Test func lateSampleIsDropped() {
        var meter = meter()
        hear(&meter, [true], from: 200)
        let old = TimedLevel(
            source: "mic", from: Self.now + 201_000 - QuietMeter.delayLimit - 1, period: 1_000, level: 100)
        let ahead = TimedLevel(source: "mic", from: Self.now + 201_001, period: 1_000, level: 100)
        var inTime = old
        inTime.from += 1
        let used = [old, inTime, ahead].map { meter.add($0, at: Self.now + 201_000) }
        #expect(used == [false, true, false])
    }

    @Test(arguments: [(Mixing.loudest, 0), (.quietest, 100), (.average, 0)])
    func levelsOfTwoMicrophonesAreMixed(mixing: Mixing, percent: Int) {
        var meter = meter(mixing)
        meter.add(TimedLevel(source: "near", from: Self.now, period: 1_000, level: 440), at: Self.now + 1_000)
        meter.add(TimedLevel(source: "far", from: Self.now, period: 1_000, level: 300), at: Self.now + 1_000)
        #expect(meter.reading(of: [stretch(0, 1)]) == Reading(percent: percent, coverage: 100))
        // The mean power of 44 dB and 30 dB is 41.2 dB.
        #expect(meter.level(at: Self.now) == [.loudest: 440, .quietest: 300, .average: 412][mixing])
    }

    @Test func sampleBeyondTheLimitOfMicrophonesIsDropped() {
        var meter = meter()
        for number in 0..<QuietMeter.sourcesLimit { hear(&meter, [true], source: "mic \(number)") }
        var sample = TimedLevel(source: "one more", from: Self.now, period: 1_000, level: 900)
        let isUsed = meter.add(sample, at: Self.now + 1_000)
        #expect(!isUsed)
        sample.from += QuietMeter.delayLimit + 2_000
        let isUsedLater = meter.add(sample, at: sample.from)
        #expect(isUsedLater)
    }

    /// A change from 80 to 75 is five points, and steady.
    @Test(arguments: [(3, CalmFeed.Trend.steady), (4, .falling)])
    func trendIsSteadyWithinFivePoints(more: Int, trend: CalmFeed.Trend) {
        var meter = meter()
        hear(&meter, (0..<60).map { $0 >= 12 } + (0..<60).map { $0 >= 12 + more })
        #expect(meter.reading(of: [stretch(0, 120)]).trend == trend)
    }

    @Test func minutesListThePastHour() {
        var meter = meter()
        let start = (Self.now.milliseconds / 60_000 + 1) * 60 - Self.now.milliseconds / 1_000
        hear(&meter, (0..<60).map { $0 < 30 }, from: start)
        hear(&meter, (0..<60).map { _ in true }, from: start + 120)
        let now = Self.now + .seconds(start + 190)
        #expect(meter.minutes(before: now, count: 60) == [50, nil, 100])
        #expect(meter.minutes(before: now, count: 2) == [100])
        #expect(Calm.QuietMeter(threshold: meter.threshold).minutes(before: now, count: 60) == [])
    }

    /// The timeline is bounded while no session needs it, and complete while one does.
    @Test func timelineDropsUnneededSamples() throws {
        var meter = meter()
        hear(&meter, (0..<10_000).map { $0.isMultiple(of: 2) })
        #expect(meter.reading(of: [stretch(0, 10_000)]).coverage < 50)
        #expect(meter.reading(of: [stretch(7_000, 10_000)]) == Reading(percent: 50, coverage: 100, trend: .steady))
        var needed = self.meter()
        needed.needed = Self.now
        hear(&needed, (0..<10_000).map { $0.isMultiple(of: 2) })
        #expect(needed.reading(of: [stretch(0, 10_000)]).coverage == 100)
    }

    @Test func samplesMoveToTheClockOfAnotherBoot() {
        var meter = meter()
        hear(&meter, [true, false, true, true])
        meter.move(by: 5_000, at: Self.now + 9_000)
        #expect(meter.reading(of: [stretch(5, 9)]) == Reading(percent: 75, coverage: 100))
        hear(&meter, [false], from: 9)
        #expect(meter.reading(of: [stretch(5, 10)]) == Reading(percent: 60, coverage: 100))
    }

    /// The wall clock of the earlier boot was ahead, or that of this boot is behind.
    @Test func samplesOfTheFutureDoNotKeepOutLaterOnes() {
        var meter = meter()
        hear(&meter, [true, true, true, true])
        meter.move(by: 3_600_000, at: Self.now + 5_000)
        hear(&meter, [true, true], from: 5)
        #expect(meter.reading(of: [stretch(5, 7)]) == Reading(percent: 100, coverage: 100))
    }

    @Test func unionCountsEachInstantOnce() {
        let union = [stretch(5, 9), stretch(0, 2), stretch(1, 3), stretch(4, 4), stretch(9, 10)].union
        #expect(union == [stretch(0, 3), stretch(5, 10)])
        let (before, last) = union.split(last: 6_000)
        #expect(before == [stretch(0, 2)])
        #expect(last == [stretch(2, 3), stretch(5, 10)])
        #expect(union.split(last: 60_000).before == [])
    }
}
