// SPDX-License-Identifier: Apache-2.0

import Platform
import Testing

/// Events of several kinds, by given times.
@Suite(.timeLimit(.minutes(15))) struct RateLimiterTests {
    @Test func suppressedEventsAreCounted() {
        var limiter = RateLimiter()
        #expect(limiter.admit("a", at: 0) == 0)
        #expect(limiter.admit("a", at: 1) == nil)
        #expect(limiter.admit("a", at: 59_999) == nil)
        #expect(limiter.admit("b", at: 2) == 0)
        #expect(limiter.admit("a", at: 60_000) == 2)
        #expect(limiter.admit("a", at: 120_000) == 0)
    }

    @Test func severalEventsOfAKindAreAllowed() {
        var limiter = RateLimiter(perMinute: 3)
        #expect((0..<5).map { limiter.admit(at: $0) } == [0, 0, 0, nil, nil])
        #expect(limiter.admit(at: 60_000) == 2)
        #expect(limiter.admit(at: 60_001) == 0)
    }

    @Test func numberOfKindsIsLimited() {
        var limiter = RateLimiter()
        let allowed = (0..<5_000).count { limiter.admit("kind \($0)", at: 0) != nil }
        #expect(allowed == 1_024)
        #expect(limiter.admit("another", at: 60_000) == 0, "a minute later there is room")
    }
}
