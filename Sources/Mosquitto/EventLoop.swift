// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// One thread that runs actors, timers and file descriptors.
///
/// An actor pinned to the loop (`nonisolated var unownedExecutor`) runs on its thread, so two actors on one loop reach
/// each other without a hop between threads, and actor isolation itself promises that what they own is touched by one
/// thread only.
///
/// Nothing that blocks may run here: it would hold up every actor, timer and connection of the loop.
public final class EventLoop: SerialExecutor, Sendable {
    enum Work: Sendable {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    enum Stage {
        case running
        case stopping
        /// The thread has ended. Late work runs on a thread of its own, see ``runLate()``.
        case stopped
    }

    struct Queue {
        var work: [Work] = []
        /// What waits until there is no other work.
        var last: [Work] = []
        var stage = Stage.running
        /// The thread waits, or is about to wait, in the kernel: new work must wake it.
        var asleep = false
        var runningLate = false
        var thread: pthread_t?
        var waitingForStop: [CheckedContinuation<Void, Never>] = []
    }

    let name: String
    let poll: Poll
    let queue = Mutex(Queue())
    let timers = Mutex(Timers())
    private let threadID = Atomic<UInt>(0)
    /// Threads that are about to wake the loop, so that its descriptors must stay.
    private let waking = Atomic<Int>(0)

    /// Starts the loop's thread.
    ///
    /// The loop lives until ``shutdown()``; letting go of it does not end it.
    ///
    /// - Parameter name: The thread's name, cut to 15 bytes.
    /// - Throws: `.system` when the system has no descriptor or thread left.
    public init(name: String = "mqtt") throws(MQTTError) {
        self.name = name
        poll = try Poll()
        let thread = try Thread.start(name: name, detached: false) { [self] in run() }
        queue.withLock { $0.thread = thread }
    }

    /// Runs `body` with a loop of its own, which has ended, thread and descriptors, when this returns.
    ///
    /// - Parameters:
    ///   - name: The thread's name, cut to 15 bytes.
    ///   - body: What needs the loop.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw, or `.system` when the loop could not start.
    public static func withEventLoop<Value>(
        name: String = "mqtt",
        _ body: (EventLoop) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop(name: name)
        do {
            let value = try await body(loop)
            await loop.shutdown()
            return value
        } catch {
            await loop.shutdown()
            throw error
        }
    }

    /// Milliseconds since the machine started, time in suspend included: the clock of ``LoopTimer``.
    public static func bootMilliseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Runs what is queued, then ends the thread and closes every descriptor.
    ///
    /// Armed timers no longer fire. An actor of this loop that is used later still runs, on a passing thread.
    @concurrent
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            let (stopped, wakes) = queue.withLock { queue in
                if queue.stage == .stopped { return (true, false) }
                queue.stage = .stopping
                queue.waitingForStop.append(continuation)
                return (false, mustWake(&queue))
            }
            if stopped { continuation.resume() }
            if wakes { wake() }
        }
        let thread = queue.withLock { queue in
            defer { queue.thread = nil }
            return queue.thread
        }
        guard let thread else { return }
        pthread_join(thread, nil)
        while waking.load(ordering: .acquiring) > 0 { sched_yield() }
        poll.close()
    }

    // MARK: SerialExecutor

    /// Whether the caller runs on this loop's thread.
    public var isCurrent: Bool {
        threadID.load(ordering: .relaxed) == pthread_self()
    }

    /// Queues a job of an actor pinned to this loop.
    public func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    /// Stops the program unless it runs on this loop's thread.
    public func checkIsolated() {
        precondition(isCurrent, "not on the thread of the event loop \(name)")
    }

    /// Whether the caller runs on this loop's thread.
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Queues a closure behind the work that is already there.
    public func execute(_ closure: @escaping @Sendable () -> Void) {
        add(.closure(closure))
    }

    /// Queues a closure for when nothing else is left to do before the loop waits.
    ///
    /// The clients of the loop write at that time. So what is queued behind a request, on the loop's thread, runs when the
    /// request has been written, as far as the connection takes it.
    public func executeLast(_ closure: @escaping @Sendable () -> Void) {
        add(.closure(closure), isLast: true)
    }

    private func add(_ work: Work, isLast: Bool = false) {
        let (late, wakes) = queue.withLock { queue in
            if isLast { queue.last.append(work) } else { queue.work.append(work) }
            if queue.stage == .stopped {
                defer { queue.runningLate = true }
                return (!queue.runningLate, false)
            }
            return (false, mustWake(&queue))
        }
        if late { startLate() }
        if wakes { wake() }
    }

    /// Whether the caller has to ``wake()`` the thread once it has let go of the lock.
    private func mustWake(_ queue: inout Queue) -> Bool {
        guard queue.asleep else { return false }
        queue.asleep = false
        waking.add(1, ordering: .relaxed)
        return true
    }

    /// Not under the lock, which is the first thing that the woken thread asks for.
    private func wake() {
        poll.wake()
        waking.subtract(1, ordering: .releasing)
    }

    // MARK: The thread

    private func run() {
        threadID.store(pthread_self(), ordering: .relaxed)
        let host = Host(loop: self)
        host.assumeIsolated { $0.begin() }
        // The job is in the queue by now (SE-0431). One by one: what stands behind it is for the loop that it runs.
        while let item = takeFirst() { run(item) }
        timers.withLock { $0.removeAll() }
        poll.removeAll()
        threadID.store(0, ordering: .relaxed)
        let waiting = queue.withLock { queue in
            defer { queue.waitingForStop = [] }
            return queue.waitingForStop
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Runs the loop as a job of its own: to be on the loop's thread is then a thing that Swift knows, and need not find
    /// out each time that one actor of the loop enters another.
    private actor Host {
        let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

        init(loop: EventLoop) { self.loop = loop }

        func begin() {
            // Nobody waits for it: it ends with the loop's thread, which runs it and which ``shutdown()`` joins.
            Task { loop.runUntilStopped() }
        }
    }

    private func runUntilStopped() {
        var work: [Work] = []
        while true {
            runQueued(&work)
            let wait = queue.withLock { queue -> Poll.Wait? in
                guard queue.work.isEmpty, queue.last.isEmpty else { return .no }
                if queue.stage == .stopping {
                    queue.stage = .stopped
                    return nil
                }
                queue.asleep = true
                return .untilEvent
            }
            guard let wait else { break }
            let events = poll.wait(wait)
            if wait == .untilEvent { queue.withLock { $0.asleep = false } }
            for event in events { dispatch(event) }
        }
    }

    private func takeFirst() -> Work? {
        queue.withLock { queue in
            queue.work.isEmpty || queue.stage == .stopped ? nil : queue.work.removeFirst()
        }
    }

    private func run(_ item: Work) {
        switch item {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        }
    }

    /// Runs the queue until it is empty, but not for ever: jobs that queue jobs must not starve the descriptors. Then what
    /// was to be last.
    private func runQueued(_ work: inout [Work]) {
        for round in 0...16 {
            let isLast = queue.withLock { queue in
                let isLast = queue.work.isEmpty || round == 16
                if isLast { swap(&queue.last, &work) } else { swap(&queue.work, &work) }
                return isLast
            }
            for item in work { run(item) }
            work.removeAll(keepingCapacity: true)
            if isLast { return }
        }
    }

    private func startLate() {
        do {
            try Thread.start(name: name, detached: true) { [self] in runLate() }
        } catch {
            fatalError("work for the ended event loop \(name), and no thread for it: \(error)")
        }
    }

    private func runLate() {
        threadID.store(pthread_self(), ordering: .relaxed)
        var work: [Work] = []
        while true {
            runQueued(&work)
            let done = queue.withLock { queue in
                guard queue.work.isEmpty, queue.last.isEmpty else { return false }
                queue.runningLate = false
                threadID.store(0, ordering: .relaxed)
                return true
            }
            if done { return }
        }
    }
}
