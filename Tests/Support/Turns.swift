// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Testing

/// Lets only a few tests run at a time, of all suites that have this trait.
///
/// Swift Testing starts every test at once. Tests that start programs then share the machine with hundreds of brokers
/// and nodes, and each takes as long as all of them together: longer than the patience of what they test.
public struct TakingTurns: SuiteTrait, TestTrait, TestScoping {
    fileprivate let turns: Turns

    /// Holds for each test of a suite, not for the suite as a whole.
    public var isRecursive: Bool { true }

    /// Runs one case of a test when it is its turn.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await turns.take(isFirst: test.traits.contains { $0 is MostlyWaiting })
        do {
            try await function()
        } catch {
            await turns.giveBack()
            throw error
        }
        await turns.giveBack()
    }
}

/// A test that waits for a timer most of its time: it begins before others, so that the rest runs meanwhile.
public struct MostlyWaiting: TestTrait {}

extension Trait where Self == MostlyWaiting {
    /// For tests that wait for many seconds: of those that take turns, they come first.
    public static var mostlyWaiting: Self { Self() }
}

extension Trait where Self == TakingTurns {
    /// For suites whose tests start programs, or depend on timers: only a few of them run at a time.
    public static var takingTurns: Self { Self(turns: .ofPrograms) }

    /// For suites that compute for seconds: meanwhile a test that waits for a program must get to look at it.
    public static var computing: Self { Self(turns: .ofComputing) }
}

private actor Turns {
    /// Four for each core: most of the time they wait for a program, a disk or a timer.
    static let ofPrograms = Turns(count: 4 * cores)
    /// Tests share as many threads as there are cores: on one of them others go on.
    static let ofComputing = Turns(count: max(1, cores - 1))
    private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private var free: Int
    private var first: [CheckedContinuation<Void, Never>] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) { free = count }

    func take(isFirst: Bool) async {
        if free > 0 {
            free -= 1
        } else if isFirst {
            await withCheckedContinuation { first.append($0) }
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// The turn goes to who has waited longest.
    func giveBack() {
        if !first.isEmpty {
            first.removeFirst().resume()
        } else if !waiting.isEmpty {
            waiting.removeFirst().resume()
        } else {
            free += 1
        }
    }
}
