// SPDX-License-Identifier: Apache-2.0

// The benchmark uses what is beside this, and is built where there is no Testing.
#if canImport(Testing)

import Synchronization
public import Testing

/// Tries a test again, twice at most, where the machine may have used up a patience of what is tested.
///
/// An owner that stands still for seconds is taken over from, a connection that says nothing is given up: that is right,
/// and not what the test is about. A failure counts at once if every step was quick and the test has not itself found
/// the machine to blame (``StoodStill``), and in the last try in any case, so that what is wrong fails.
public struct TryingAgain: SuiteTrait, TestTrait, TestScoping {
    /// Holds for each test of a suite, not for the suite as a whole.
    public var isRecursive: Bool { true }

    /// Runs one case of a test until it has passed, or failed without an excuse.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        for tries in 0..<2 {
            let pace = Pace(tries: tries)
            let isExcused = Mutex(false)
            try await withKnownIssue("the machine was slow: it is tried again", isIntermittent: true) {
                try await Pace.$current.withValue(pace) { try await function() }
            } matching: { issue in
                guard pace.isSlow || issue.error is StoodStill else { return false }
                isExcused.withLock { $0 = true }
                return true
            }
            if !isExcused.withLock({ $0 }) { return }
        }
        try await Pace.$current.withValue(Pace(tries: 2)) { try await function() }
    }
}

extension Trait where Self == TryingAgain {
    /// For tests in which a program waits for another, and does something else when that takes seconds.
    public static var tryingAgain: Self { Self() }
}

#endif
