// SPDX-License-Identifier: Apache-2.0

import Display
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Session
import Wire

/// The pages that are open, and what each is told: its timeline, anew whenever something happens.
///
/// A change is rendered once for all pages that want it alike and written to each connection on its own event loop:
/// with a task for each page, hundreds of tasks would have to be woken before the last page hears of it.
actor Displays {
    /// As many pages as a node keeps up to date.
    static let most = 500
    /// Of them only pages of this machine get the last ones: its kiosk does not depend on what others open.
    static let keptForLocal = 20
    /// As many pages as share one key, so that a link that was given away does not keep out the other one.
    static let mostOfOneKey = 400

    /// On whose behalf a page is open.
    enum Viewer: Hashable {
        /// Of this machine itself.
        case local
        /// With a key that may do this.
        case key(Access)
    }

    /// How a page wants its timeline.
    struct Wish: Hashable {
        var face: Face
        var language: String
        var isReadOnly: Bool
    }

    /// A page's place; its stream ends when the page goes away, or the node.
    struct Seat {
        var id: Int
        var end: AsyncStream<Never>
    }

    private struct Page {
        var wish: Wish
        var viewer: Viewer
        var channel: any Channel
        var end: AsyncStream<Never>.Continuation
        /// Since when the page has not taken what it was told.
        var stalledSince: ContinuousClock.Instant?
    }

    private let node: any NodeAccess
    private let patience: Patience
    private var pages: [Int: Page] = [:]
    private var lastID = 0
    private var shown: Shown?

    init(node: any NodeAccess, patience: Patience = Patience()) {
        self.node = node
        self.patience = patience
    }

    var count: Int { pages.count }

    /// Tells the pages whatever happens, until the task is cancelled.
    func run() async {
        let views = await node.views()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beat() }
            for await _ in views { await tell() }
            group.cancelAll()
        }
    }

    /// Whether one more page may be opened.
    func hasRoom(for viewer: Viewer) -> Bool {
        guard viewer != .local else { return pages.count < Self.most }
        return pages.count < Self.most - Self.keptForLocal
            && pages.values.count { $0.viewer == viewer } < Self.mostOfOneKey
    }

    /// Tells a page how things stand, and from then on whatever happens. The head of its response is on its way.
    /// - Returns: `nil` when there are too many.
    func join(_ wish: Wish, as viewer: Viewer, on channel: any Channel) async -> Seat? {
        guard hasRoom(for: viewer) else { return nil }
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        lastID += 1
        let id = lastID
        pages[id] = Page(wish: wish, viewer: viewer, channel: channel, end: end)
        channel.closeFuture.whenComplete { _ in end.finish() }
        Self.write(Self.timeline(of: await present(), for: wish), to: [channel])
        return Seat(id: id, end: stream)
    }

    func leave(_ id: Int) { pages[id] = nil }

    /// Ends every stream, since the node ends.
    func close() {
        for page in pages.values { page.end.finish() }
        pages = [:]
    }

    /// How things stand now: a page takes the instant of its first timeline for the present one. Not before what all
    /// pages have been told meanwhile.
    private func present() async -> Shown {
        let now = await node.shown()
        if let shown, shown.boot >= now.boot { return shown }
        return now
    }

    private func tell() async {
        let now = await node.shown()
        shown = now
        let told = pages.filter { id, page in isReady(page, id) }
        for (wish, pages) in Dictionary(grouping: told.values, by: \.wish) {
            Self.write(Self.timeline(of: now, for: wish), to: pages.map(\.channel))
        }
    }

    private func isReady(_ page: Page, _ id: Int) -> Bool {
        if page.channel.isWritable { return true }
        if page.stalledSince == nil { pages[id]?.stalledSince = .now }
        return false
    }

    private func beat() async {
        let beat = ByteBuffer.event("beat", data: Array("1".utf8))
        while (try? await Task.sleep(for: patience.beat)) != nil {
            guard !pages.isEmpty else { continue }
            let wasWrong = shown?.isClockWrong
            if await node.shown().isClockWrong != wasWrong { await tell() }
            let stalled = pages.filter { $0.value.stalledSince != nil }
            Self.write(beat, to: pages.values.filter { $0.stalledSince == nil }.map(\.channel))
            for (id, page) in stalled { await catchUp(page, id) }
        }
    }

    /// A page that takes in again gets what is true now; one that does not is given up.
    private func catchUp(_ page: Page, _ id: Int) async {
        if page.channel.isWritable {
            pages[id]?.stalledSince = nil
            Self.write(Self.timeline(of: await present(), for: page.wish), to: [page.channel])
        } else if let since = page.stalledSince, .now - since > patience.stalled {
            page.channel.close(promise: nil)
        }
    }

    /// One round on each event loop, however many pages there are.
    private static func write(_ event: ByteBuffer, to channels: [any Channel]) {
        for channels in Dictionary(grouping: channels, by: { ObjectIdentifier($0.eventLoop) }).values {
            channels.first?.eventLoop.execute {
                for channel in channels { channel.writeAndFlush(HTTPResponsePart.body(event), promise: nil) }
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
