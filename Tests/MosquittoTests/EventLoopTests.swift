// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Platform
import Support
import Synchronization
import Testing

@Suite(.limitedConcurrency) struct EventLoopTests {
    actor Counter {
        let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        var count = 0

        init(_ loop: EventLoop) { self.loop = loop }

        func add() {
            #expect(loop.isCurrent)
            count += 1
        }

        func addAtOnce(to other: Counter) { other.assumeIsolated { $0.count += 1 } }

        func add(through other: Counter) async {
            await other.add()
            #expect(loop.isCurrent)
            addAtOnce(to: other)
        }
    }

    @Test func actorsRunOnTheLoopsThread() async throws {
        try await EventLoop.withEventLoop { loop in
            #expect(!loop.isCurrent)
            let (one, other) = (Counter(loop), Counter(loop))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        for _ in 0..<100 { await one.add() }
                        await one.add(through: other)
                    }
                }
            }
            #expect(await one.count == 10_000)
            #expect(await other.count == 200)
        }
    }

    @Test func lastWorkRunsAfterAllOtherWork() async throws {
        try await EventLoop.withEventLoop { loop in
            let order = Mutex<[String]>([])
            await withCheckedContinuation { done in
                loop.execute {
                    loop.executeLast { order.withLock { $0.append("last") } }
                    loop.executeLast { done.resume() }
                    loop.execute {
                        order.withLock { $0.append("first") }
                        loop.execute { order.withLock { $0.append("second") } }
                    }
                }
            }
            #expect(order.withLock { $0 } == ["first", "second", "last"])
        }
    }

    @Test func endlessWorkDoesNotStarveLastWork() async throws {
        final class Work: Sendable {
            let isOver = Atomic<Bool>(false)

            func goOn(_ loop: EventLoop) {
                if !isOver.load(ordering: .relaxed) { loop.execute { self.goOn(loop) } }
            }
        }
        try await EventLoop.withEventLoop { loop in
            let work = Work()
            await withCheckedContinuation { done in
                loop.execute {
                    work.goOn(loop)
                    loop.executeLast {
                        work.isOver.store(true, ordering: .relaxed)
                        done.resume()
                    }
                }
            }
        }
    }

    @Test func timersFireInOrderAndNotEarly() async throws {
        try await EventLoop.withEventLoop { loop in
            let fired = Mutex<[Int]>([])
            let timers = Mutex<[LoopTimer]>([])
            // On the loop's thread, so that none fires before all are armed.
            loop.execute {
                let start = SystemClock.bootMilliseconds()
                let all = [30, 10, 20, 5].map { wait in
                    let timer = loop.makeTimer {
                        #expect(loop.isCurrent)
                        #expect(SystemClock.bootMilliseconds() >= start + Int64(wait))
                        fired.withLock { $0.append(wait) }
                    }
                    timer.arm(atBootMilliseconds: start + Int64(wait))
                    return timer
                }
                all[3].disarm()
                timers.withLock { $0 = all }
            }
            try await eventually("three timers") { fired.withLock { $0.count } >= 3 }
            #expect(fired.withLock { $0 } == [10, 20, 30])
        }
    }

    @Test func rearmingReplacesTimeAndPastTimeFiresAtOnce() async throws {
        try await EventLoop.withEventLoop { loop in
            let fired = Mutex(0)
            let timer = loop.makeTimer { fired.withLock { $0 += 1 } }
            timer.arm(atBootMilliseconds: SystemClock.bootMilliseconds() + 600_000)
            timer.arm(atBootMilliseconds: 0)
            try await eventually("the timer") { fired.withLock { $0 } == 1 }
        }
    }

    @Test func releasedTimerDoesNotFire() async throws {
        try await EventLoop.withEventLoop { loop in
            let fired = Mutex<[String]>([])
            let kept = loop.makeTimer { fired.withLock { $0.append("kept") } }
            // On the loop's thread, so that the lost timer cannot fire before it is released.
            loop.execute {
                let start = SystemClock.bootMilliseconds()
                let lost = loop.makeTimer { fired.withLock { $0.append("lost") } }
                lost.arm(atBootMilliseconds: start + 20)
                kept.arm(atBootMilliseconds: start + 30)
            }
            try await eventually("the timer") { fired.withLock { !$0.isEmpty } }
            kept.disarm()
            #expect(fired.withLock { $0 } == ["kept"])
        }
    }

    @Test(.enabled(if: WallClock.canBeSet, "only root of the machine may set its clock"))
    func loopReportsThatTheWallClockWasSet() async throws {
        try await EventLoop.withEventLoop { loop in
            let reports = Mutex(0)
            let watch = loop.watchWallClock {
                #expect(loop.isCurrent)
                reports.withLock { $0 += 1 }
            }
            for count in 1...3 {
                WallClock.set()
                // Another test may set it too.
                try await eventually("report \(count)") { reports.withLock { $0 } >= count }
            }
            withExtendedLifetime(watch) {}
        }
    }

    @Test(.enabled(if: WallClock.canBeSet, "only root of the machine may set its clock"))
    func releasedWatchReportsNothing() async throws {
        try await EventLoop.withEventLoop { loop in
            let lost = Mutex(0)
            let kept = Mutex(0)
            _ = loop.watchWallClock { lost.withLock { $0 += 1 } }
            let watch = loop.watchWallClock { kept.withLock { $0 += 1 } }
            WallClock.set()
            try await eventually("the other watch reports it") { kept.withLock { $0 } > 0 }
            #expect(lost.withLock { $0 } == 0)
            withExtendedLifetime(watch) {}
        }
    }

    @Test func actorsStillAnswerAfterShutdown() async throws {
        let loop = try EventLoop(name: "short")
        let counter = Counter(loop)
        await counter.add()
        await loop.shutdown()
        await loop.shutdown()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await counter.add() } }
        }
        #expect(await counter.count == 21)
    }
}
