// SPDX-License-Identifier: Apache-2.0

import Display
import Session
import Support
import Testing

@Suite(.timeLimit(.minutes(15))) struct TimeTextTests {
    @Test(arguments: [
        (0, "0:00", "00:00"), (5, "0:05", "00:05"), (300, "5:00", "05:00"), (872, "14:32", "14:32"),
        (3_599, "59:59", "59:59"), (3_600, "1:00:00", "1:00:00"), (36_061, "10:01:01", "10:01:01"),
    ])
    func timesArePaddedIfAsked(seconds: Int, boring: String, padded: String) {
        #expect(TimeText.text(seconds: seconds, padded: false) == boring)
        #expect(TimeText.text(seconds: seconds, padded: true) == padded)
    }

    @Test func shorterFormsAreOffered() {
        #expect(TimeText.shorter(seconds: 3_599, hourMark: "h").isEmpty)
        #expect(TimeText.shorter(seconds: 3_600, hourMark: "h") == ["60:00", "1h00"])
        #expect(TimeText.shorter(seconds: 8_100, hourMark: "h") == ["2h15"])
        for seconds in stride(from: 3_600, through: 86_400, by: 7) {
            #expect(TimeText.shorter(seconds: seconds, hourMark: "h").last?.description.count ?? 9 <= 5)
        }
    }

    @Test func timeOfDayUsesTheOffset() {
        #expect(TimeText.clock(0, offset: 0) == "00:00")
        #expect(TimeText.clock(1_800_000_000_000, offset: 3_600) == "09:00")
        #expect(TimeText.clock(0, offset: -60) == "23:59")
    }

    /// The digits change on the owner's second, and the view predicts when.
    @Test func digitsChangeOnTheOwnersSecond() {
        let view = makeView(makeRegister(elapsed: 250), anchorBoot: 10_000)
        let shown = { (boot: BootTime) in Screen(view, at: boot, face: .focus).time }
        #expect(shown(10_000) == "25:00")
        #expect(view.nextScreenChange(after: 10_000) == 10_750)
        #expect(shown(10_749) == "25:00")
        #expect(shown(10_750) == "24:59")
        #expect(view.nextScreenChange(after: 10_750) == 11_750)
        #expect(shown(10_000 + 1_499_749) == "00:01")
        #expect(shown(10_000 + 1_499_750) == "00:00")
        #expect(Screen(view, at: 10_000 + 1_499_750, face: .boring).time == "0:00")
        #expect(shown(10_000 + 1_504_749) == "00:00")
        #expect(Screen(view, at: 10_000 + 1_504_750, face: .focus).isIdle)
        #expect(view.nextScreenChange(after: 10_000 + 1_504_750) == nil)
    }

    @Test func pausedAndIdleScreensNeverChange() {
        #expect(makeView(nil).nextScreenChange(after: 5) == nil)
        #expect(makeView(makeRegister(status: .paused, elapsed: 10)).nextScreenChange(after: 5) == nil)
    }

    @Test func frozenScreenBecomesStale() {
        let lost = makeView(makeRegister(status: .paused, elapsed: 10), lostAt: 1_000)
        #expect(lost.nextScreenChange(after: 2_000) == 31_000)
        #expect(lost.nextScreenChange(after: 31_000) == 32_000)
        #expect(lost.nextScreenChange(after: 61_000) == 121_000)
        var boot: BootTime = 1_000
        while let next = lost.nextScreenChange(after: boot), next < 9_000_000 {
            #expect(
                Screen(lost, at: next - 1, face: .focus) == Screen(lost, at: boot, face: .focus), "\(boot) \(next)")
            #expect(Screen(lost, at: next, face: .focus) != Screen(lost, at: boot, face: .focus), "\(boot) \(next)")
            boot = next
        }
    }
}
