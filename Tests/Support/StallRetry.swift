// SPDX-License-Identifier: Apache-2.0

// A plain `swift build` compiles this too, also without Testing.
#if canImport(Testing)

import Synchronization
public import Testing

/// Repeats a failed test, twice at most, if the machine stalled during the try. During a stall of seconds, nodes
/// rightly take over from an owner or drop a silent connection. Only a stall that the ``Heartbeat`` has measured
/// excuses a failure, never a long wait. The third try is never excused.
public struct StallRetry: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    /// Runs one case of a test until it passes or fails without an excuse.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        precondition(Heartbeat.isBeating)
        for number in 1...2 {
            let start = ContinuousClock.now
            let excuse = Mutex<String?>(nil)
            try await withKnownIssue("the machine stood still: the test is repeated", isIntermittent: true) {
                try await function()
            } matching: { _ in
                guard let stall = Heartbeat.stall(since: start) else { return false }
                excuse.withLock { $0 = stall }
                return true
            }
            guard let stall = excuse.withLock({ $0 }) else { return }
            // `Deploy/test` counts the tests in these lines.
            print("excused: \(test.sourceLocation.fileID) \(test.name), try \(number): \(stall)")
        }
        try await function()
    }
}

extension Trait where Self == StallRetry {
    /// For tests of programs that act by themselves when another program is silent for seconds.
    public static var retriedAfterStall: Self { Self() }
}

#endif
