// SPDX-License-Identifier: Apache-2.0

import API
import Display
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Platform
import Session
import Wire

/// The open event streams. Each page gets its timeline after every change.
///
/// A change is rendered once for all pages with equal options, and written to each connection on its event loop. One
/// task per page would mean hundreds of wake-ups before the last page is updated.
actor EventStreams {
    static let limit = 500
    /// The part of ``limit`` reserved for this machine, so that its kiosk does not depend on remote pages.
    static let reservedForLocal = 20
    /// The limit of streams of a key, so that a shared view link does not lock out the control key.
    static let keyLimit = 400
    /// The limit of streams of a phone. A connection that a phone lost counts until its end is noticed.
    static let phoneLimit = 12

    /// The number of presets that fit beside each other.
    private static let startsLimit = 4

    /// The client that a stream is counted for.
    enum Viewer: Hashable {
        case local
        /// A client with the shared key for this access.
        case key(AccessLevel)
        /// The phone whose key has this hash.
        case phone(String)

        init(_ context: WebContext) {
            self = context.phone.map { .phone($0) } ?? (context.isLocal ? .local : .key(context.access))
        }

        /// The limit of its streams; `nil` for this machine, which only the limit of all streams binds.
        fileprivate var limit: Int? {
            switch self {
            case .local: nil
            case .key: EventStreams.keyLimit
            case .phone: EventStreams.phoneLimit
            }
        }
    }

    /// The options of a page's stream; pages with equal options share a timeline.
    struct StreamOptions: Hashable {
        var face: Face
        var language: String
        var isReadOnly: Bool
        /// Whether every allowed action has a button, as on the remote page.
        var hasAllActions = false
        /// Whether presets have buttons while there is no session.
        var offersStarts = false
        var idle = Idle.clock
        var near: EndWarning?
    }

    /// A page's entry among the open streams. Its `end` comes when the page disconnects or the node shuts down.
    typealias Subscription = (id: Int, end: AsyncStream<Never>)

    /// An open stream: of a page, or of the API.
    private struct OpenStream {
        /// The options of its timeline; `nil` for a stream of the API, which writes its events itself.
        var options: StreamOptions?
        var viewer: Viewer
        var channel: any Channel
        var end: AsyncStream<Never>.Continuation
        /// When its socket was first found full, on the boot clock in milliseconds; `nil` while it accepts data.
        var stalledSince: Int64?
    }

    private let node: any NodeAccess
    private let timeouts: Timeouts
    private var streams: [Int: OpenStream] = [:]
    private var lastID = 0
    private var shown: DisplaySnapshot?

    init(node: any NodeAccess, timeouts: Timeouts = Timeouts()) {
        self.node = node
        self.timeouts = timeouts
    }

    var count: Int { streams.count }

    /// Updates the streams of pages after each change, until the task is cancelled.
    func run() async {
        let snapshots = await node.snapshots()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beat() }
            for await snapshot in snapshots { update(to: snapshot) }
            group.cancelAll()
        }
    }

    /// Refuses a client that has no room, before a head is sent. It reserves nothing: ``join(_:as:on:)`` checks again.
    func checkRoom(for viewer: Viewer) throws(HTTPProblem) {
        guard hasRoom(for: viewer) else {
            throw HTTPProblem(
                .serviceUnavailable, "too many pages of this node are open: close one")
        }
    }

    func hasRoom(for viewer: Viewer) -> Bool {
        guard let limit = viewer.limit else { return streams.count < Self.limit }
        return streams.count < Self.limit - Self.reservedForLocal
            && streams.values.count { $0.viewer == viewer } < limit
    }

    /// Adds a page, which gets the current timeline and from then on each update. The caller must have sent the
    /// response head, and must call ``leave(_:)`` when the returned stream ends.
    /// - Returns: `nil` if a limit is reached.
    func join(_ options: StreamOptions, as viewer: Viewer, on channel: any Channel) async -> Subscription? {
        guard let subscription = add(options, as: viewer, on: channel) else { return nil }
        Self.write(Self.timeline(of: await present(), for: options), to: [channel])
        return subscription
    }

    /// Adds a stream of the API, until its connection ends.
    ///
    /// It gets a comment with each beat.
    /// - Returns: `false` if a limit is reached.
    func joinAPI(_ viewer: Viewer, on channel: any Channel) -> Bool {
        guard let id = add(nil, as: viewer, on: channel)?.id else { return false }
        // A task of its own: the future completes on an event loop, and this stream has no task that waits for its end.
        channel.closeFuture.whenComplete { _ in Task { await self.leave(id) } }
        return true
    }

    private func add(_ options: StreamOptions?, as viewer: Viewer, on channel: any Channel) -> Subscription? {
        guard hasRoom(for: viewer) else { return nil }
        let (stream, end) = AsyncStream.makeStream(of: Never.self)
        lastID += 1
        streams[lastID] = OpenStream(options: options, viewer: viewer, channel: channel, end: end)
        channel.closeFuture.whenComplete { _ in end.finish() }
        return (lastID, stream)
    }

    func leave(_ id: Int) { streams[id] = nil }

    /// Ends every stream, for shutdown.
    func close() {
        for stream in streams.values { stream.end.finish() }
        streams = [:]
    }

    /// Returns the present snapshot, from which a page sets its clock, or a newer one sent meanwhile.
    private func present() async -> DisplaySnapshot {
        let snapshot = await node.snapshot()
        if let shown, shown.boot >= snapshot.boot { return shown }
        return snapshot
    }

    private func update(to snapshot: DisplaySnapshot) {
        // A later snapshot may have been shown while this one was fetched.
        if let shown, shown.boot > snapshot.boot { return }
        shown = snapshot
        let ready = streams.filter { id, stream in isReady(stream, id) }
        for (options, streams) in Dictionary(grouping: ready.values, by: \.options) {
            guard let options else { continue }
            Self.write(Self.timeline(of: snapshot, for: options), to: streams.map(\.channel))
        }
    }

    /// Returns whether a stream's socket accepts data, and notes since when it does not.
    private func isReady(_ stream: OpenStream, _ id: Int) -> Bool {
        if stream.channel.isWritable { return true }
        if stream.stalledSince == nil { streams[id]?.stalledSince = SystemClock.bootMilliseconds() }
        return false
    }

    private func beat() async {
        let beat = ByteBuffer.event("beat", data: Array("1".utf8))
        // A comment, which clients of the API skip: its failure shows that the peer is gone.
        let comment = ByteBuffer(string: ":\n\n")
        while (try? await Task.sleep(for: timeouts.beat)) != nil {
            guard !streams.isEmpty else { continue }
            let (wasWrong, offset) = (shown?.nodeView.isClockWrong, shown?.offset)
            let snapshot = await node.snapshot()
            // Pages show the time of day: here they learn of a clock that became wrong or right, or a new UTC offset.
            if snapshot.nodeView.isClockWrong != wasWrong || snapshot.offset != offset { update(to: snapshot) }
            let stalled = streams.filter { $0.value.stalledSince != nil }
            let alive = streams.values.filter { $0.stalledSince == nil }
            Self.write(beat, to: alive.filter { $0.options != nil }.map(\.channel))
            Self.write(comment, to: alive.filter { $0.options == nil }.map(\.channel))
            for (id, stream) in stalled { await resumeOrDrop(stream, id) }
        }
    }

    /// Sends a stalled stream the current timeline if its socket accepts data again, and drops it after the timeout.
    private func resumeOrDrop(_ stream: OpenStream, _ id: Int) async {
        if stream.channel.isWritable {
            streams[id]?.stalledSince = nil
            guard let options = stream.options else { return }
            Self.write(Self.timeline(of: await present(), for: options), to: [stream.channel])
        } else if let since = stream.stalledSince,
            .milliseconds(SystemClock.bootMilliseconds() - since) > timeouts.stalled
        {
            stream.channel.close(promise: nil)
        }
    }

    /// Writes an event to all channels, with one task per event loop.
    private static func write(_ event: ByteBuffer, to channels: [any Channel]) {
        for channels in Dictionary(grouping: channels, by: { ObjectIdentifier($0.eventLoop) }).values {
            channels.first?.eventLoop.execute {
                for channel in channels { channel.writeAndFlush(HTTPResponsePart.body(event), promise: nil) }
            }
        }
    }

    private static func timeline(of shown: DisplaySnapshot, for options: StreamOptions) -> ByteBuffer {
        let strings = Catalogue.strings(options.language) ?? .english
        var content = shown.options(strings: strings, isReadOnly: options.isReadOnly)
        content.hasAllActions = options.hasAllActions
        let timeline = Timeline(shown.nodeView.view, from: shown.boot, face: options.face, options: content)
        let offers = options.offersStarts && !content.isReadOnly ? shown.presets.prefix(Self.startsLimit) : []
        let idle = options.idle.content(
            week: shown.nodeView.week, boot: shown.boot, groupTime: shown.groupTime, offset: shown.utcOffset,
            strings: strings)
        return .event(
            "timeline",
            data: timeline.json(
                at: shown.boot, node: shown.nodeView.node, offers: offers.map { Offer($0, strings: strings) },
                idle: idle, near: options.near, strings: strings))
    }
}

extension DisplaySnapshot {
    /// The local offset from UTC, in seconds.
    fileprivate var offset: Int { utcOffset(groupTime.milliseconds) }
}
