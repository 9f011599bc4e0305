// SPDX-License-Identifier: Apache-2.0

import Ledger
import Mosquitto
import Platform
import Runtime
import Session
import Support
import Synchronization
import Testing

@testable import Debt

/// Presences of nodes, by given times of the boot clock.
@Suite(.timeLimit(.minutes(15))) struct PresenceQueueTests {
    private let desk: SpaceNode
    private let hall: SpaceNode

    init() throws {
        let home = SpaceID.home
        desk = SpaceNode(space: home, node: NodeID.desk)
        hall = SpaceNode(space: home, node: try #require(NodeID("hall")))
    }

    private func withQueue(_ body: (inout PresenceQueue) throws -> Void) async throws {
        try await EventLoop.withEventLoop { loop in
            var queue = PresenceQueue(timer: loop.makeTimer {})
            try body(&queue)
        }
    }

    @Test func theFirstPresenceIsHandledAtOnce() async throws {
        try await withQueue { queue in
            queue.insert(desk, goneSince: nil, at: 1_000)
            #expect(queue.removeDue(at: 1_000) == [desk: PresenceQueue.Change(hasReturned: true, dueAt: 1_000)])
            #expect(queue.removeDue(at: 1_000).isEmpty)
        }
    }

    @Test func aNodeIsHandledOnceInFiveSeconds() async throws {
        try await withQueue { queue in
            queue.insert(desk, goneSince: nil, at: 1_000)
            _ = queue.removeDue(at: 1_000)
            for time in stride(from: Int64(1_100), to: 5_000, by: 100).map({ BootTime($0) }) {
                queue.insert(desk, goneSince: GroupTime(time.milliseconds), at: time)
                queue.insert(desk, goneSince: nil, at: time)
                #expect(queue.removeDue(at: time).isEmpty)
            }
            queue.insert(hall, goneSince: nil, at: 5_000)
            #expect(Set(queue.removeDue(at: 5_000).keys) == [hall], "another node does not wait")
            #expect(Set(queue.removeDue(at: 6_000).keys) == [desk])
        }
    }

    @Test func theLatestPresenceWins() async throws {
        try await withQueue { queue in
            queue.insert(desk, goneSince: 10, at: 1_000)
            queue.insert(desk, goneSince: 20, at: 1_000)
            #expect(queue.removeDue(at: 1_000)[desk]?.goneSince == 10, "a repeated goodbye changes nothing")
            queue.insert(desk, goneSince: 30, at: 2_000)
            queue.insert(desk, goneSince: nil, at: 2_000)
            queue.insert(desk, goneSince: 40, at: 2_000)
            let change = queue.removeDue(at: 6_000)[desk]
            #expect(change?.goneSince == 40)
            #expect(change?.hasReturned == true)
        }
    }

    @Test func theTimerFiresWhenANodeCanBeHandled() async throws {
        let fired = Mutex(0)
        try await withoutActuallyEscaping({ @Sendable in fired.withLock { $0 += 1 } }) { fire in
            try await EventLoop.withEventLoop { loop in
                var queue = PresenceQueue(timer: loop.makeTimer(fire))
                queue.insert(desk, goneSince: nil, at: Clocks.boot())
                try await eventually("the timer fires") { fired.withLock(\.self) == 1 }
                _ = queue.removeDue(at: Clocks.boot() + 1)
            }
        }
    }
}
