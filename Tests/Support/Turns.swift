// SPDX-License-Identifier: Apache-2.0

// The benchmark uses what is beside this, and is built where there is no Testing.
#if canImport(Testing)

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
        let turns = test.traits.contains { $0 is MostlyWaiting } ? Turns.ofWaiting : turns
        await turns.take()
        do {
            try await function()
        } catch {
            await turns.giveBack()
            throw error
        }
        await turns.giveBack()
    }
}

/// A test that waits for a timer most of its time: it takes no turn from the others, which run meanwhile.
public struct MostlyWaiting: TestTrait {}

extension Trait where Self == MostlyWaiting {
    /// For tests of a suite that takes turns which wait for many seconds: they take turns among themselves.
    public static var mostlyWaiting: Self { Self() }
}

extension Trait where Self == TakingTurns {
    /// For suites whose tests start programs, or depend on timers: only a few of them run at a time.
    public static var takingTurns: Self { Self(turns: .ofPrograms) }

    /// For suites whose tests start a browser, or one program after the other: each of them takes a core for itself.
    public static var takingMuch: Self { Self(turns: .ofBrowsers) }

    /// For suites that compute for seconds: meanwhile a test that waits for a program must get to look at it.
    public static var computing: Self { Self(turns: .ofComputing) }
}

private actor Turns {
    /// Four for each core: most of the time they wait for a program, a disk or a timer.
    static let ofPrograms = Turns(count: 4 * cores)
    static let ofWaiting = Turns(count: 4 * cores)
    static let ofBrowsers = Turns(count: cores)
    /// Tests share as many threads as there are cores: on one of them others go on.
    static let ofComputing = Turns(count: max(1, cores - 1))
    private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) { free = count }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// The turn goes to who has waited longest.
    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

#endif
