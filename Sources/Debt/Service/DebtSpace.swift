// SPDX-License-Identifier: Apache-2.0

import Core
import Mosquitto
import Runtime
import Session
import Settings
import Wire

/// The debt of one space: its core, its week, and the answers to its nodes. It is used on the service's thread.
final class DebtSpace: ServiceSpace {
    /// The wait until a ledger that could not be read is read again. A disk error seldom ends at once.
    private static let retryInterval: Milliseconds = 60_000
    /// The time that nodes have to send records that this ledger lacks. Until then a week with less time than
    /// the broker's is not published. A node answers within a second.
    private static let catchUpTime: Milliseconds = 10_000

    let id: SpaceID
    let core: ServiceCore
    /// Called when this service begins to publish the feed, or must publish it again.
    var onTurn: () -> Void = {}
    private let output: ServiceOutput
    private let ledger: LedgerStore
    var book: WeekBook
    private var published: DebtFeed?
    /// The feed that the broker keeps, whichever service wrote it.
    var retained: DebtFeed?
    /// When this service began to publish the feed.
    private var servingSince = BootTime(0)
    private var publishedYear: DebtYear?
    /// The connection for which each node has got the digests of its records.
    private var compared: [NodeID: ConnectionID] = [:]
    /// The nodes that the ledger holds as offline.
    private var gone: Set<NodeID>
    /// When the feed may change by time alone.
    private(set) var nextUpdate: GroupTime = 0

    init(
        space: SpaceID, settings: DebtSettings, ledger: LedgerStore, history: RulesHistory, bootID: BootID,
        loop: EventLoop,
        output: ServiceOutput
    ) {
        id = space
        self.output = output
        self.ledger = ledger
        // A ledger that cannot be read is reported at the next write.
        gone = Set(((try? ledger.gone(of: space)) ?? [:]).keys)
        book = WeekBook(space: space, ledger: ledger, history: history)
        core = ServiceCore(
            .debt, space: space, settings: settings.common, bootID: bootID, loop: loop, output: output,
            after: (try? ledger.shared?.servers(of: space)) ?? [])
        core.onTurn = { [weak self] in self?.begin() }
    }

    func handle(_ event: NodeCore.Event) {
        if case .disconnected = event {
            compared = [:]
            retained = nil
        }
        core.handle(event)
    }

    private func begin() {
        published = nil
        publishedYear = nil
        servingSince = Clocks.boot()
        onTurn()
    }

    // MARK: Nodes

    /// Sends a node the digests of its records in the ledger, once for each of its connections.
    func compare(with node: NodeID) throws {
        guard core.serves, let presence = core.engine.peers[node].presence, presence.isOnline,
            compared[node] != presence.connection
        else { return }
        if compared.count > Limits.nodes { compared = [:] }
        compared[node] = presence.connection
        output.publish(core.codec.encode(LedgerAck(node: node, weeks: try ledger.weeks(of: node, in: id))))
    }

    /// Compares the records of all online nodes: another service may have received some.
    func compareAll() throws { for node in core.engine.peers.online { try compare(with: node) } }

    /// Notes which nodes are offline, since an open run counts only until then. Returns whether that is a change.
    func noteAbsences(_ changes: [(node: NodeID, change: PresenceQueue.Change)]) throws -> Bool {
        var absences: [(node: NodeID, goneSince: GroupTime?)] = []
        for (node, change) in changes where core.engine.peers[node].presence?.role == .node {
            let wasGone = gone.contains(node)
            if wasGone, change.hasReturned { absences.append((node, nil)) }
            if let since = change.goneSince, !wasGone || change.hasReturned { absences.append((node, since)) }
        }
        guard !absences.isEmpty else { return false }
        let isNews = try ledger.noteAbsences(absences, in: id)
        for (node, since) in absences { if since == nil { gone.remove(node) } else { gone.insert(node) } }
        if isNews { book.forget() }
        return isNews
    }

    /// Publishes an answer to a node, unless another service answers. The record is kept in either case.
    func publish(_ ack: LedgerAck, completion: @escaping ServiceOutput.Completion) {
        guard core.serves else { return completion(.failure(MQTTError(.notConnected, "another service answers"))) }
        output.publish(core.codec.encode(ack), completion: completion)
    }

    // MARK: The week

    /// Lets the next update come by `instant`.
    func scheduleUpdate(by instant: GroupTime) { nextUpdate = min(nextUpdate, instant) }

    /// Publishes the week if it has changed.
    func update() throws {
        let now = core.groupTime(at: Clocks.now())
        // If the ledger cannot be read, the next try comes after a while, and not at once.
        nextUpdate = now + Self.retryInterval
        guard core.serves else { return }
        var feed = try book.feed(at: now)
        nextUpdate = min(book.nextBoundary(after: now), feed.week?.until ?? .distantFuture)
        if nextUpdate <= now { nextUpdate = now + .seconds(1) }
        guard feed.isNews(after: published), try !holdBack(feed, at: now) else { return }
        feed.by = core.codec.me
        published = feed
        output.publish(core.codec.encode(feed))
    }

    /// Returns whether a feed must wait, because it has less time than the retained one. With an empty ledger it waits
    /// for the first record; otherwise up to ``catchUpTime``, in which nodes send missing records. Plans when to try
    /// again.
    private func holdBack(_ feed: DebtFeed, at now: GroupTime) throws -> Bool {
        guard published == nil, let mine = feed.week, let theirs = retained?.week, now < theirs.to,
            mine.done < theirs.done
        else { return false }
        guard try ledger.spaces().contains(id) else { return true }
        let rest = servingSince + Self.catchUpTime - Clocks.boot()
        if rest > 0 { nextUpdate = min(nextUpdate, now + rest) }
        return rest > 0
    }

    /// Reads one of the weeks before this one, and returns whether there are more. After the last, publishes the year.
    func updateYear() throws -> Bool {
        guard core.serves, published != nil else { return false }
        guard let year = try book.year(at: core.groupTime(at: Clocks.now())) else { return true }
        guard year.isNews(after: publishedYear) else { return false }
        publishedYear = year
        output.publish(core.codec.encode(year))
        return false
    }
}
