// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing
import Wire

@Suite("What services publish, as displays use it", .timeLimit(.minutes(15))) struct FeedsTests {
    /// A reader of the view accepts no more.
    @Test(arguments: [(110_080, Milliseconds(0), 100_000), (0, 7_000_000_000_000, -100_000)])
    func debtIsBounded(goal: Int, done: Milliseconds, minutes: Int) {
        let week = DebtWeek(
            name: "2026-W47", from: 0, to: 10_000_000, goal: goal, done: done, days: [], streak: 0, labels: [])
        var feeds = Feeds()
        let isNew = feeds.take(.debt(DebtFeed(minutes: 0, at: 1_000_000, week: week)))
        #expect(isNew)
        #expect(feeds.debtMinutes(at: 1_000_000) == minutes)
    }

    /// A display adds the time of a running session until the session or the week ends.
    @Test func debtChangesByTheMinute() {
        let week = DebtWeek(
            name: "2026-W47", from: 0, to: 10_000_000, goal: 100, done: 600_000, days: [], streak: 0, labels: [],
            until: 1_600_000)
        var feeds = Feeds()
        let isNew = feeds.take(.debt(DebtFeed(minutes: 90, at: 1_000_000, week: week)))
        #expect(isNew)
        #expect(feeds.nextDebtChange(after: 1_000_000) == 1_060_000)
        #expect(feeds.nextDebtChange(after: 1_060_000) == 1_120_000)
        #expect(feeds.nextDebtChange(after: 1_600_000) == 10_000_000)
        #expect(feeds.nextDebtChange(after: 10_000_000) == nil)
    }
}
