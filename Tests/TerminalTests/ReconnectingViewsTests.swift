// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Synchronization
import Testing

@testable import Terminal

/// A display whose node stops and restarts.
@Suite(.timeLimit(.minutes(15))) struct LastingViewsTests {
    private struct Gone: Error {}

    @Test func contactIsLostWhenTheNodeEnds() {
        var shown = NodeView(View(isLinked: true), worksAlone: true)
        let lost = shown.withoutContact(at: 5_000)
        #expect(!lost.view.isLinked)
        #expect(!lost.worksAlone)
        #expect(lost.view.contactLostAt == 5_000)
        shown.view.contactLostAt = 3_000
        #expect(shown.withoutContact(at: 5_000).view.contactLostAt == 3_000)
    }

    private final class Seen: Sendable {
        let shown = Mutex<[Bool]>([])
        let visits = Mutex(0)
    }

    @Test func restartedNodeIsShownAgain() async {
        let seen = Seen()
        let (isDone, done) = AsyncStream<Void>.makeStream()
        let task = Task {
            await ReconnectingViews.follow(
                retry: .milliseconds(1), show: { view in seen.shown.withLock { $0.append(view.view.isLinked) } }
            ) { take in
                let visit = seen.visits.withLock { visits in
                    visits += 1
                    return visits
                }
                if visit == 2 { throw Gone() }
                take(NodeView(View(isLinked: true)))
                if visit == 3 { done.finish() }
            }
        }
        for await _ in isDone {}
        task.cancel()
        await task.value
        #expect(seen.shown.withLock { Array($0.prefix(5)) } == [true, false, false, true, false])
    }
}
