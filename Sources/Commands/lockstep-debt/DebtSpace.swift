// SPDX-License-Identifier: Apache-2.0

import Commands
import Debt
import Mosquitto
import Session
import Shell
import Wire

/// One space: its engine, which knows group time and who is there, and its week. It lives on the service's thread.
final class DebtSpace {
    let codec: WireCodec
    var memory = WireCodec.Memory()
    private let publish: (Outgoing) -> Void
    private var engine: Engine
    private var inputs: [Input] = []
    private var isBusy = false
    private var wake: LoopTimer?
    private var armedFor: Int64?

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
        codec = WireCodec(space: space, me: settings.node.node)
        self.publish = publish
        // What cannot be read now says so when it is next asked for.
        gone = (try? ledger.gone(of: space)) ?? []
        book = WeekBook(space: space, ledger: ledger, history: history)
        engine = Engine(
            configuration: Session.Configuration(
                node: settings.node.node, name: settings.node.name, role: .service, software: Software.name,
                bootID: bootID, isAnnounced: !settings.isEverySpace))
        // The timer goes with this object, and its loop is the one that this object lives on.
        let box = Unowned(self)
        wake = loop.makeTimer { box.space?.wakeUp() }
    }

    /// Of the space that the loop's thread has, for that thread.
    private final class Unowned: @unchecked Sendable {
        weak var space: DebtSpace?
        init(_ space: DebtSpace) { self.space = space }
    }

    func will(_ connection: ConnectionID) -> Outgoing {
        codec.will(for: engine.presence(at: Clocks.now(), connection: connection, online: true))
    }

    func groupTime(at now: Instant) -> Int64 { engine.groupTime(now) }

    /// Whether a node is there and awake.
    func isHere(_ node: NodeID) -> Bool { engine.peers[node].isOnline }

    func set(_ node: NodeID, isGone: Bool) { if isGone { gone.insert(node) } else { gone.remove(node) } }

    // MARK: The engine

    func feed(_ input: Input) {
        if case .linkDown = input {
            compared = [:]
            published = nil
            publishedYear = nil
        }
        inputs.append(input)
        guard !isBusy else { return }
        isBusy = true
        var index = 0
        while index < inputs.count {
            for effect in engine.handle(inputs[index], at: Clocks.now()) { perform(effect) }
            index += 1
        }
        inputs.removeAll(keepingCapacity: true)
        isBusy = false
        let next = engine.nextWake
        guard next != armedFor else { return }
        armedFor = next
        if let next { wake?.arm(atBootMilliseconds: next) } else { wake?.disarm() }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        // It owns nothing, and so has nothing to keep.
        case .journal(_, let number): inputs.append(.journalled(number))
        case .publish(let message): publish(codec.encode(message))
        case .barrier(let connection): publish(codec.barrier(connection))
        case .reply, .log, .record: break
        }
    }

    private func wakeUp() {
        armedFor = nil
        feed(.wake)
    }

    // MARK: Answers

    func answer(_ node: NodeID, _ name: RecordName, _ outcome: LedgerAck.Outcome) {
        answers[node, default: []].append(LedgerAck.Item(name, outcome))
    }

    func sendAnswers() {
        for (node, items) in answers {
            for start in stride(from: 0, to: items.count, by: LedgerAck.itemsLimit) {
                let part = items[start..<min(start + LedgerAck.itemsLimit, items.count)]
                publish(codec.encode(LedgerAck(node: node, items: Array(part))))
            }
        }
        answers = [:]
    }

    /// Whether a node's connection is seen for the first time.
    func isNew(_ connection: ConnectionID, of node: NodeID) -> Bool {
        guard engine.view.isLinked, compared[node] != connection else { return false }
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
        guard engine.view.isLinked, feed.isNews(after: published) else { return }
        published = feed
        publish(codec.encode(feed))
    }
    /// Reads on in the weeks before this one, and says what was done in them, if that is news.
    /// - Returns: Whether there is more to be read.
    func updateYear() throws -> Bool {
        guard engine.view.isLinked else { return false }
        guard let year = try book.year(at: groupTime(at: Clocks.now())) else { return true }
        guard year.isNews(after: publishedYear) else { return false }
        publishedYear = year
        publish(codec.encode(year))
        return false
    }
}
