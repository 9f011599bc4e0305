// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Synchronization
import Wire

@testable import Web

/// A node with settable state that records the requests it gets.
final class FakeNode: NodeAccess {
    let asked = Mutex<[String]>([])
    let isLinked = Mutex(true)
    let saveFailure = Mutex<String?>(nil)
    let reply = Mutex<Reply>(.noSession)
    let feeds = Mutex(Feeds())
    let groupTime = Mutex<GroupTime>(0)
    let boot = Mutex<BootTime>(1_000)
    let worksAlone = Mutex(false)
    let recent = Mutex<[RecentSession]>([])
    let presets = Mutex<[Preset]>([])
    let nodesReport = Mutex(NodesReport([]))
    let view = Mutex(View(isLinked: true))
    let pageProblem = Mutex<ProblemReport?>(nil)
    private let watching = Mutex<[AsyncStream<DisplaySnapshot>.Continuation]>([])

    func ask(_ request: NodeRequest) async -> ReplyReport {
        switch request {
        case .start(let start): note("start \(start.title)")
        case .press(let press, _): note("press \(press.operation.name)")
        case .take: note("take")
        case .acknowledge: note("ok")
        case .say(let text, let life): note("say \(text) \(life)")
        }
    }
    func add(_ session: AddedSession) async throws -> ReplyReport {
        if let failure = saveFailure.withLock(\.self) { throw RequestError("", failure) }
        return note("add \(session.title) \(session.label?.name ?? "-") \(session.from) \(session.to)")
    }

    func publish(_ level: SoundLevel) async -> Bool {
        asked.withLock { $0.append("sound \(level.level) \(level.period) \(level.source?.rawValue ?? "")") }
        return isLinked.withLock(\.self)
    }

    private func note(_ line: String) -> ReplyReport {
        asked.withLock { $0.append(line) }
        return ReplyReport(reply.withLock(\.self))
    }

    func status() async -> StatusReport {
        StatusReport(
            view: view.withLock(\.self), space: Self.space, node: Self.node,
            at: Instant(boot: 1_000, wall: 1_790_000_000_000),
            groupTime: 1_790_000_000_000)
    }

    func note(_ problem: ProblemReport?, ofPageAt address: String) async { pageProblem.withLock { $0 = problem } }
    func nodes() async -> NodesReport { nodesReport.withLock(\.self) }
    func snapshots() async -> AsyncStream<DisplaySnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: DisplaySnapshot.self)
        continuation.yield(present)
        watching.withLock { $0.append(continuation) }
        return stream
    }

    /// Sends what is shown to all watchers.
    func happen() { for one in watching.withLock(\.self) { one.yield(present) } }
    let isSaved = Mutex(true)

    func metrics() async -> NodeMetrics {
        var metrics = NodeMetrics()
        metrics.isSaved = isSaved.withLock(\.self)
        return metrics
    }

    func snapshot() async -> DisplaySnapshot { present }

    private var present: DisplaySnapshot {
        let (feeds, groupTime) = (feeds.withLock(\.self), groupTime.withLock(\.self))
        let shown = NodeView(
            view.withLock(\.self), feeds: feeds, worksAlone: worksAlone.withLock(\.self), node: Self.node,
            at: groupTime)
        return DisplaySnapshot(
            shown, boot: boot.withLock(\.self), groupTime: groupTime, feeds: feeds,
            recent: recent.withLock(\.self), presets: presets.withLock(\.self), utcOffset: { _ in 0 })
    }

    static let node = NodeID("desk") ?? { preconditionFailure("desk is a node") }()
    static let space = SpaceID("home") ?? { preconditionFailure("home is a space") }()
}
