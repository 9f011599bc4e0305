// SPDX-License-Identifier: Apache-2.0

import API
import Harness
import Mosquitto
import NodeRuntime
import Platform
import Session
import Wire

/// A person who presses at a node and watches its view, on the node's loop. So only the node's work is measured.
actor Presser {
    private let node: Node
    private let loop: EventLoop
    private var wanted: Status?
    private var seenAt: Int64?
    private var waiting: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(at node: Node) {
        self.node = node
        loop = node.loop
    }

    /// Presses pause and resume alternately, and returns the nanoseconds from each press to the view with its effect.
    func presses(_ count: Int, gap: Int) async throws -> [Int64] {
        try await withTaskExecutorPreference(LoopTasks(loop)) { try await pressInTurn(count, gap: gap) }
    }

    private func pressInTurn(_ count: Int, gap: Int) async throws -> [Int64] {
        await node.onView { [weak self] view in self?.assumeIsolated { $0.see(view) } }
        var times: [Int64] = []
        for _ in 0..<count { times.append(try await press(gap: gap)) }
        await node.onView(nil)
        return times
    }

    /// Presses pause and resume alternately, and returns the payload sizes of each press.
    func sizes(presses count: Int) async throws -> [PayloadSizes] {
        var sizes: [PayloadSizes] = []
        let codec = WireCodec(space: node.space, me: node.identity.node)
        for _ in 0..<count {
            _ = try await presses(1, gap: 1)
            guard let register = await node.view.register, let last = register.last else { continue }
            let intent = Intent(
                id: last.intent, lineage: register.lineage, session: register.id, phase: register.phase,
                operation: .resume, from: last.from, at: last.at, expiresAt: last.at)
            sizes.append(
                PayloadSizes(
                    request: codec.encode(.intent(intent)).payload.count,
                    answer: codec.encode(.register(register)).payload.count))
        }
        return sizes
    }

    /// Presses once, and returns the nanoseconds until the last display shows the effect.
    func press(seenBy displays: [Node]) async throws -> Int64 {
        let last = LastArrival(of: displays.count)
        let wanted = await nextStatus
        for display in displays {
            await display.onView { view in
                if view.register?.status == wanted { last.arrived() }
            }
        }
        let start = Samples.now()
        try await press(for: wanted)
        let end = try await last.time()
        for display in displays { await display.onView(nil) }
        return end - start
    }

    /// The status to which the next press leads.
    private var nextStatus: Status {
        get async { await node.view.register?.status == .running ? .paused : .running }
    }

    private func press(for status: Status) async throws {
        let reply = await node.ask(.press(Press(status == .paused ? .pause : .resume)))
        guard case .answered(let answer) = reply, answer.outcome == .applied else { throw Failed("\(reply)") }
    }

    private func press(gap: Int) async throws -> Int64 {
        let status = await nextStatus
        wanted = status
        seenAt = nil
        let start = Samples.now()
        try await press(for: status)
        if seenAt == nil { await withCheckedContinuation { waiting = $0 } }
        let time = (seenAt ?? start) - start
        await rest(gap)
        return time
    }

    private func see(_ view: View) {
        guard let wanted, view.register?.status == wanted else { return }
        seenAt = Samples.now()
        self.wanted = nil
        resume()
    }

    private func rest(_ milliseconds: Int) async {
        guard milliseconds > 0 else { return }
        if timer == nil { timer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.resume() } } }
        timer?.arm(atBootMilliseconds: SystemClock.bootMilliseconds() + Int64(milliseconds) + 1)
        await withCheckedContinuation { waiting = $0 }
    }

    private func resume() {
        waiting?.resume()
        waiting = nil
    }
}

/// Resumes tasks on the loop's thread; on threads of the global executor they would move from core to core.
private final class LoopTasks: TaskExecutor {
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in
            job.runSynchronously(
                isolatedTo: loop.asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}
