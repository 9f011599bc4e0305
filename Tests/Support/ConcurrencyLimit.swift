// SPDX-License-Identifier: Apache-2.0

// A plain `swift build` compiles this too, also without Testing.
#if canImport(Testing)

import Glibc
public import Testing

/// Limits the number of concurrent tests in all suites with this trait, and the time of each test. Swift Testing starts
/// all tests at once. Tests that start programs would share the machine with hundreds of brokers and nodes, and each
/// would take longer than the time-outs of these programs.
public struct ConcurrencyLimit: SuiteTrait, TestTrait, TestScoping {
    /// The limit of one case with its repetitions. `.timeLimit` would include the wait for a permit.
    private static let limit = Duration.seconds(900)

    fileprivate let semaphore: TestSemaphore

    /// Applies to each test of a suite, not to the suite as a whole.
    public var isRecursive: Bool { true }

    /// Waits for a permit and runs one case of a test.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let semaphore = test.traits.contains { $0 is WaitingForTimers } ? TestSemaphore.ofWaiting : semaphore
        await semaphore.wait()
        let result: Result<Void, any Error>
        do { result = .success(try await Self.limited(test.name, function)) } catch { result = .failure(error) }
        await semaphore.signal()
        try result.get()
    }

    /// Runs a test and cancels it at the limit. A test that ignores the cancellation ends the process a minute later.
    private static func limited(
        _ name: String, _ function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // Outside of the group, which waits for the test.
        let watchdog = Task {
            try await Task.sleep(for: limit + .seconds(60))
            fatalError("\(name) ignores its cancellation after \(limit)")
        }
        defer { watchdog.cancel() }
        try await withoutActuallyEscaping(function) { function in
            try await withThrowingTaskGroup { group in
                group.addTask { try await function() }
                group.addTask {
                    try await Task.sleep(for: limit)
                    Issue.record("\(name) took longer than \(limit)")
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }
}

/// A test that mostly waits for timers: it needs no permit of other tests, which run meanwhile.
public struct WaitingForTimers: TestTrait {}

extension Trait where Self == WaitingForTimers {
    /// For tests that wait for many seconds, in suites with ``ConcurrencyLimit``: they have a limit of their own.
    public static var waitingForTimers: Self { Self() }
}

extension Trait where Self == ConcurrencyLimit {
    /// For suites whose tests start programs or depend on timers: a few tests run at a time.
    public static var limitedConcurrency: Self { Self(semaphore: .ofPrograms) }
    /// For suites whose tests start browsers or many programs: one more at a time than there are cores.
    public static var startingBrowsers: Self { Self(semaphore: .ofBrowsers) }
    /// For suites that compute for seconds: one core stays free for other tests.
    public static var cpuBound: Self { Self(semaphore: .ofCPUBound) }
}

/// A semaphore for tests; the one that has waited longest gets the next permit.
private actor TestSemaphore {
    /// Three for each core, since they mostly wait for a program, a disk or a timer.
    static let ofPrograms = TestSemaphore(count: 3 * cores)
    static let ofWaiting = TestSemaphore(count: 4 * cores)
    /// The start of a browser occupies a core for a second. Its tests then wait for the page most of the time.
    static let ofBrowsers = TestSemaphore(count: cores + 1)
    /// Tests share one thread for each core: one thread stays free for other tests.
    static let ofCPUBound = TestSemaphore(count: max(1, cores - 1))
    private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private var permits: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) { permits = count }

    func wait() async {
        if permits > 0 {
            permits -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Passes the permit to the test that has waited longest.
    func signal() {
        if waiting.isEmpty { permits += 1 } else { waiting.removeFirst().resume() }
    }
}

#endif
