// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Session
import Shell

/// A person at the owner of a session that many displays show; on the owner's loop.
actor Announcer {
    private let node: Node
    private let loop: EventLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(at node: Node) {
        self.node = node
        loop = node.loop
    }

    /// Presses pause or resume.
    /// - Returns: Nanoseconds until the last display shows it.
    func press(seenBy displays: [Node]) async throws -> Int64 {
        let isRunning = await node.view.register?.status == .running
        let last = Last(of: displays.count)
        let wanted: Status = isRunning ? .paused : .running
        for display in displays {
            await display.onView { view in
                if view.register?.status == wanted { last.arrived() }
            }
        }
        let start = Samples.now()
        guard case .answered(let answer) = await node.press(Press(isRunning ? .pause : .resume)),
            answer.outcome == .applied
        else { throw BenchError("the owner did not apply a press") }
        let end = try await last.time()
        for display in displays { await display.onView(nil) }
        return end - start
    }
}
