// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Synchronization

/// One thread that runs actors, timers and file descriptors.
///
/// An actor pinned to the loop (`nonisolated var unownedExecutor`) runs on its thread. Two actors on one loop call each
/// other without a thread switch, and actor isolation guarantees that only one thread touches their state.
///
/// Code on the loop must not block: it would delay every actor, timer and connection of the loop. A short write to disk
/// is the longest that it may wait.
public final class EventLoop: SerialExecutor, Sendable {
    /// A piece of work for the loop.
    enum Work: Sendable {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    /// The life of the loop's thread.
    enum Stage {
        case running
        case stopping
        /// The thread has ended. Later work runs on a temporary thread, see ``runLate()``.
        case stopped
    }

    /// The work that waits for the loop's thread.
    struct Queue {
        var work: [Work] = []
        /// The work to run when ``work`` is empty.
        var last: [Work] = []
        var stage = Stage.running
        /// Whether the thread waits, or is about to wait, in the kernel, so that new work must wake it.
        var isAsleep = false
        var isRunningLate = false
        var thread: pthread_t?
        var waitingForStop: [CheckedContinuation<Void, Never>] = []
    }

    let name: String
    let poll: Poll
    let queue = Mutex(Queue())
    let timers = Mutex(Timers())
    let clockWatches = Mutex(ClockWatches())
    private let threadID = Atomic<UInt>(0)
    /// The number of threads that are about to wake the loop. They need its descriptors.
    private let waking = Atomic<Int>(0)

    /// Starts the loop's thread.
    ///
    /// The caller must call ``shutdown()``; releasing the last reference does not end the loop.
    ///
    /// - Parameter name: The thread's name, cut to 15 bytes.
    /// - Throws: `.system` if the system has no descriptor or thread left.
    public init(name: String = "mqtt") throws(MQTTError) {
        self.name = name
        poll = try Poll()
        do throws(FileError) {
            let thread = try Thread.start(name: name, isDetached: false) { [self] in run() }
            queue.withLock { $0.thread = thread }
        } catch {
            throw .system("start a thread", error.code)
        }
    }

    /// Runs `body` with a new loop, whose thread has `name`, and shuts the loop down before it returns.
    ///
    /// - Throws: The error of `body`, or `.system` if the loop could not start.
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

    /// Runs the queued work, then ends the thread and closes the loop's descriptors.
    ///
    /// Armed timers no longer fire. Calls to actors of this loop still run afterwards, on a temporary thread.
    @concurrent
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            let (isStopped, needsWake) = queue.withLock { queue in
                if queue.stage == .stopped { return (true, false) }
                queue.stage = .stopping
                queue.waitingForStop.append(continuation)
                return (false, mustWake(&queue))
            }
            if isStopped { continuation.resume() }
            if needsWake { wake() }
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

    /// Traps unless the caller runs on this loop's thread.
    public func checkIsolated() {
        precondition(isCurrent, "not on the thread of the event loop \(name)")
    }

    /// Returns whether the caller runs on this loop's thread.
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Queues a closure after the work that is already queued.
    public func execute(_ closure: @escaping @Sendable () -> Void) {
        add(.closure(closure))
    }

    /// Queues a closure to run when no other work is left, just before the loop waits.
    ///
    /// Clients of the loop write at that point. A closure queued on the loop's thread after a request therefore runs
    /// when the request has been written, as far as the socket accepted it.
    public func executeLast(_ closure: @escaping @Sendable () -> Void) {
        add(.closure(closure), isLast: true)
    }

    private func add(_ work: Work, isLast: Bool = false) {
        let (needsThread, needsWake) = queue.withLock { queue in
            if isLast { queue.last.append(work) } else { queue.work.append(work) }
            if queue.stage == .stopped {
                defer { queue.isRunningLate = true }
                return (!queue.isRunningLate, false)
            }
            return (false, mustWake(&queue))
        }
        if needsThread { startLate() }
        if needsWake { wake() }
    }

    /// Returns whether the caller must ``wake()`` the thread after it has released the lock; then ``waking`` counts it.
    private func mustWake(_ queue: inout Queue) -> Bool {
        guard queue.isAsleep else { return false }
        queue.isAsleep = false
        waking.add(1, ordering: .relaxed)
        return true
    }

    /// Wakes the thread. Call it without the lock, which the woken thread takes first.
    private func wake() {
        poll.wake()
        waking.subtract(1, ordering: .releasing)
    }

    // MARK: The thread

    private func run() {
        threadID.store(pthread_self(), ordering: .relaxed)
        runUntilStopped()
        timers.withLock { $0.removeAll() }
        poll.removeAll()
        // A late thread may have stored its own id by now.
        _ = threadID.compareExchange(expected: pthread_self(), desired: 0, ordering: .relaxed)
        let waiting = queue.withLock { queue in
            defer { queue.waitingForStop = [] }
            return queue.waitingForStop
        }
        for continuation in waiting { continuation.resume() }
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
                queue.isAsleep = true
                return .untilEvent
            }
            guard let wait else { break }
            let events = poll.wait(wait)
            if wait == .untilEvent { queue.withLock { $0.isAsleep = false } }
            for event in events { dispatch(event) }
        }
    }

    private func run(_ item: Work) {
        switch item {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .closure(let closure): closure()
        }
    }

    /// Runs the queue until it is empty, then the work queued as last.
    ///
    /// It stops after 16 rounds, so that jobs that queue jobs do not starve the descriptors.
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
            try Thread.start(name: name) { [self] in runLate() }
        } catch {
            fatalError("work for the ended event loop \(name), and no thread for it: \(error)")
        }
    }

    private func runLate() {
        threadID.store(pthread_self(), ordering: .relaxed)
        var work: [Work] = []
        while true {
            runQueued(&work)
            let isDone = queue.withLock { queue in
                guard queue.work.isEmpty, queue.last.isEmpty else { return false }
                queue.isRunningLate = false
                threadID.store(0, ordering: .relaxed)
                return true
            }
            if isDone { return }
        }
    }
}
