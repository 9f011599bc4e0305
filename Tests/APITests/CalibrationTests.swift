// SPDX-License-Identifier: Apache-2.0

import API
import Testing

@Suite(.timeLimit(.minutes(15))) struct CalibrationTests {
    private func calibration(_ levels: [Int]) -> Calibration {
        var calibration = Calibration()
        for level in levels { calibration.add(level) }
        return calibration
    }

    @Test func thresholdIsSixDecibelsAboveASteadyRoom() {
        #expect(calibration([Int](repeating: 324, count: 20)).threshold == 39)
        #expect(calibration([-655]).threshold == -59)
        #expect(calibration([]).threshold == nil)
    }

    @Test func oneCoughDoesNotRaiseTheThreshold() {
        #expect(calibration([Int](repeating: 300, count: 19) + [700]).threshold == 36)
        #expect(calibration([Int](repeating: 300, count: 18) + [700, 700]).threshold == 76)
    }

    @Test func levelsAreQuantiles() {
        let calibration = calibration([310, 300, 330, 320])
        #expect(calibration.level(at: 0) == 300)
        #expect(calibration.level(at: 0.5) == 310)
        #expect(calibration.level(at: 1) == 330)
    }
}
