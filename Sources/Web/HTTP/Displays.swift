// SPDX-License-Identifier: Apache-2.0

import Display
import NIOCore
import Session
import Synchronization
import Wire

/// The pages that are open, and what each is told: its timeline, anew whenever something happens.
actor Displays {
    /// As many streams as a node keeps open.
    static let most = 500
    /// How often a stream says that it is still there, and how long one may hold back what it was told.
    static let heartbeat = Duration.seconds(10)
    static let patience = Duration.seconds(30)

    /// How a page wants its timeline; pages that want the same share it.
    struct Wish: Hashable {
        var face: Face
        var language: String
        var isReadOnly: Bool
    }

    enum Item: Sendable {
        case timeline(ByteBuffer)
        case heartbeat
    }

    private struct Display {
        var wish: Wish
        var items: AsyncStream<Item>.Continuation
        var stall: Stall
    }

    private let node: any NodeAccess
    private var displays: [Int: Display] = [:]
    private var nextID = 0
    private var shown: Shown?

    init(node: any NodeAccess) { self.node = node }

    var count: Int { displays.count }

    /// Tells the pages whatever happens, until the task is cancelled.
    func run() async {
        let views = await node.views()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beat() }
            for await _ in views { await tell() }
            group.cancelAll()
        }
    }

    /// - Returns: What to tell the page; `nil` when there are too many.
    func join(_ wish: Wish, on channel: any Channel) async -> (id: Int, items: AsyncStream<Item>, stall: Stall)? {
        guard displays.count < Self.most else { return nil }
        if shown == nil { shown = await node.shown() }
        guard let shown else { return nil }
        let (items, continuation) = AsyncStream.makeStream(of: Item.self, bufferingPolicy: .bufferingNewest(1))
        let stall = Stall(channel: channel)
        nextID += 1
        displays[nextID] = Display(wish: wish, items: continuation, stall: stall)
        continuation.yield(.timeline(Self.timeline(of: shown, for: wish)))
        return (nextID, items, stall)
    }

    func leave(_ id: Int) { displays[id] = nil }

    private func tell() async {
        let now = await node.shown()
        shown = now
        var written: [Wish: ByteBuffer] = [:]
        for display in displays.values {
            let timeline = written[display.wish] ?? Self.timeline(of: now, for: display.wish)
            written[display.wish] = timeline
            display.items.yield(.timeline(timeline))
        }
    }

    private func beat() async {
        while (try? await Task.sleep(for: Self.heartbeat)) != nil {
            let wasWrong = shown?.isClockWrong
            if !displays.isEmpty, await node.shown().isClockWrong != wasWrong { await tell() }
            for display in displays.values {
                if display.stall.isLong { display.stall.channel.close(promise: nil) }
                // A timeline that waits says more than that the stream is there.
                if case .dropped(let waiting) = display.items.yield(.heartbeat) { display.items.yield(waiting) }
            }
        }
    }

    private static func timeline(of shown: Shown, for wish: Wish) -> ByteBuffer {
        let strings = Catalogue.strings(wish.language) ?? .english
        let timeline = Timeline(
            shown.view, from: shown.boot, face: wish.face,
            options: shown.options(strings: strings, isReadOnly: wish.isReadOnly))
        return .event("timeline", data: timeline.json(at: shown.boot, node: shown.node, strings: strings))
    }
}

/// Since when a page does not take what it is told.
final class Stall: Sendable {
    let channel: any Channel
    private let since = Mutex<ContinuousClock.Instant?>(nil)

    init(channel: any Channel) { self.channel = channel }

    var isLong: Bool { since.withLock { $0 }.map { .now - $0 > Displays.patience } ?? false }

    func begin() { since.withLock { $0 = .now } }

    func end() { since.withLock { $0 = nil } }
}
