// SPDX-License-Identifier: Apache-2.0

import Commands
import Debt
import Mosquitto
import Session
import Shell
import Wire

/// One space: its engine, which knows group time and who is there, and its week. It lives on the service's thread.
final class DebtSpace {
    let engine: ServiceEngine
    private let publish: (Outgoing) -> Void

    private var book: WeekBook
    private var published: DebtFeed?
    private var publishedYear: DebtYear?
    private var answers: [NodeID: [LedgerAck.Item]] = [:]
    private var compared: [NodeID: ConnectionID] = [:]
    /// Nodes that are taken down as gone.
    private(set) var gone: Set<NodeID>
    /// When there is something to say by the calendar, in group time.
    private(set) var nextUpdate: Int64 = 0

    init(
        space: SpaceID, settings: DebtSettings, ledger: Ledger, history: RulesHistory, bootID: BootID, loop: EventLoop,
        publish: @escaping (Outgoing) -> Void
    ) {
        self.publish = publish
        // What cannot be read now says so when it is next asked for.
        gone = (try? ledger.gone(of: space)) ?? []
        book = WeekBook(space: space, ledger: ledger, history: history)
        engine = ServiceEngine(
            space: space, settings: settings.node, isAnnounced: !settings.isEverySpace, bootID: bootID, loop: loop,
            publish: publish)
    }

    var codec: WireCodec { engine.codec }

    func groupTime(at now: Instant) -> Int64 { engine.groupTime(at: now) }

    /// Whether a node is there and awake.
    func isHere(_ node: NodeID) -> Bool { engine.state.peers[node].isOnline }

    func set(_ node: NodeID, isGone: Bool) { if isGone { gone.insert(node) } else { gone.remove(node) } }

    func feed(_ input: Input) {
        if case .linkDown = input {
            compared = [:]
            published = nil
            publishedYear = nil
        }
        engine.feed(input)
    }

    // MARK: Answers

    func answer(_ node: NodeID, _ name: RecordName, _ outcome: LedgerAck.Outcome) {
        answers[node, default: []].append(LedgerAck.Item(name, outcome))
    }

    /// Returns what is to be published to answer all nodes, and forgets it.
    func takeAnswers() -> [Outgoing] {
        defer { answers = [:] }
        return answers.flatMap { node, items in
            stride(from: 0, to: items.count, by: LedgerAck.itemsLimit).map { start in
                let part = items[start..<min(start + LedgerAck.itemsLimit, items.count)]
                return codec.encode(LedgerAck(node: node, items: Array(part)))
            }
        }
    }

    /// Whether a node's connection is seen for the first time.
    func isNew(_ connection: ConnectionID, of node: NodeID) -> Bool {
        guard engine.state.view.isLinked, compared[node] != connection else { return false }
        if compared.count > Limits.nodes { compared = [:] }
        compared[node] = connection
        return true
    }

    // MARK: The week

    func forget(from instant: Int64) { book.forget(from: instant) }

    func forget(history: RulesHistory?) { book.forget(history: history) }

    /// Something has come that may be news, and need not be said at once.
    func updates(by instant: Int64) { nextUpdate = min(nextUpdate, instant) }

    /// Says how the week stands, if that is news.
    func update() throws {
        let now = groupTime(at: Clocks.now())
        let feed = try book.feed(at: now)
        nextUpdate = min(book.nextBoundary(after: now), feed.week?.until ?? .max)
        if nextUpdate <= now { nextUpdate = now + 1_000 }
        guard engine.state.view.isLinked, feed.isNews(after: published) else { return }
        published = feed
        publish(codec.encode(feed))
    }

    /// Reads on in the weeks before this one, and says what was done in them, if that is news.
    /// - Returns: Whether there is more to be read.
    func updateYear() throws -> Bool {
        guard engine.state.view.isLinked else { return false }
        guard let year = try book.year(at: groupTime(at: Clocks.now())) else { return true }
        guard year.isNews(after: publishedYear) else { return false }
        publishedYear = year
        publish(codec.encode(year))
        return false
    }
}
