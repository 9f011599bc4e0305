// SPDX-License-Identifier: Apache-2.0

package import API
import Core
import Ledger
package import Logging
package import Mosquitto
package import Platform
import Runtime
package import Session
package import Settings
import Wire

/// A node: an actor that carries out the actions of a `NodeCore`. It runs on the thread of its broker connection, so a
/// press that arrives over MQTT is decided, journalled and published without a thread switch. The cost: a slow disk
/// blocks that thread. `Mosquitto` resolves names and connects elsewhere.
package actor Node {
    /// How long the reply to a start waits for the broker. A local broker answers within a tenth of that.
    private static let confirmationLimit: Milliseconds = 300

    package nonisolated let loop: EventLoop
    package nonisolated let identity: NodeIdentity
    package nonisolated let space: SpaceID

    var runner: CoreRunner
    let link: BrokerLink
    var files: NodeFiles
    var log: SessionLog
    var hub = ViewHub()
    var suspend = SuspendState()
    var eventWatches: [EventWatch] = []
    /// The node that serves the plain topics instead of this one.
    private(set) var plainServer: NodeID?
    /// The check of notifications and sounds, if the settings ask for them.
    var alerts: AlertCheck?
    /// The problems of the addresses of pages, by address.
    var pageProblems: [String: ProblemReport] = [:]
    var counted = NodeMetrics()
    var askers = Askers()
    var recent: RecentSessions

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - directory: The directory of its journal; `nil` for a passing remote, which has none.
    ///   - clocks: Reads this machine's clocks. A process that plays several machines passes others.
    package init(
        identity: NodeIdentity, space: SpaceID, directory: StateDirectory?, loop: EventLoop, log: Logger,
        clocks: @escaping @Sendable () -> Instant = Clocks.now
    ) {
        self.identity = identity
        self.space = space
        self.loop = loop
        self.log = SessionLog(log: log, node: identity.node)
        runner = CoreRunner(NodeCore(identity: identity, space: space, seed: .random(in: 0 ... .max)), clocks: clocks)
        link = BrokerLink(of: .node, on: loop, log: log)
        files = NodeFiles(directory: directory, log: log)
        recent = RecentSessions(in: directory?.path)
    }

    /// Reads the journal. From then on sessions can be started, shown and pressed, with or without a broker.
    package func start() {
        runner.use(loop) { [weak self] in self?.assumeIsolated { $0.handle(.input(.wake)) } }
        hub.debtTick = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.showFeeds() } }
        recent.saveTimer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.recent.save() } }
        handle(.restored(files.load(for: identity.node, at: clocks().wall)))
    }

    // MARK: Requests

    /// Passes a person's request to the core, and returns the reply.
    package func ask(_ request: NodeRequest) async -> Reply {
        let ticket = askers.makeTicket()
        let input: Input =
            switch request {
            case .start(let start): .start(start, id: ULID.make(at: groupTime), ticket: ticket)
            case .press(let press, let id): .press(press, id: id ?? ULID.make(at: groupTime), ticket: ticket)
            case .take: .take(id: ULID.make(at: groupTime), ticket: ticket)
            case .acknowledge: .acknowledge(id: ULID.make(at: groupTime), ticket: ticket)
            case .say(let text, let life): .say(text, for: life, id: ULID.make(at: groupTime), ticket: ticket)
            }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { asker in
                askers.add(asker, with: ticket)
                handle(.input(input))
            }
        } onCancel: {
            // The client has disconnected.
            loop.execute { self.assumeIsolated { $0.hangUp(ticket) } }
        }
    }

    /// Adds to the ledger a session that no node recorded. Its record is on disk before the reply.
    package func add(_ session: AddedSession) throws(FileError) -> ReplyReport {
        guard identity.mayOwn else { return ReplyReport(.notPermitted) }
        let record = DigestedRecord(
            LedgerRecord(
                added: ULID.make(at: groupTime), on: identity.node, title: session.title, label: session.label,
                from: session.from, to: session.to))
        try files.add(record)
        handle(.added(record))
        return ReplyReport(added: record.record.id)
    }

    private func hangUp(_ ticket: Ticket) {
        guard askers.isOpen(ticket) else { return }
        // The client has left, so the metrics do not count this reply.
        askers.queue(.noSession, for: ticket)
        handle(.input(.hangUp(ticket)))
    }

    private func reply(_ reply: Reply, to ticket: Ticket) {
        counted.replies[ReplyReport.Outcome(reply).rawValue, default: 0] += 1
        askers.queue(reply, for: ticket)
    }

    /// Waits until the broker has acknowledged all registers, for ``confirmationLimit`` at most. So the reply to a
    /// start can say that the broker refuses the session, for example because it is too large.
    package func waitForRegisters() async {
        if core.hasUnconfirmedRegisters { await wait(for: \.registerConfirmation, atMost: Self.confirmationLimit) }
    }

    // MARK: State

    /// The core, read in place: a copy of it would cost more than most reads.
    var core: NodeCore { _read { yield runner.coreLoop.core } }

    package func clocks() -> Instant { runner.clocks() }

    package var view: View { core.view }
    package var feeds: Feeds { hub.feeds }
    /// The sessions that this node has seen, the latest first.
    package var recentSessions: [RecentSession] { recent.all }
    package var peers: Peers { core.engine.peers }
    /// The number of nodes and displays that are online, this one included.
    package var onlineCount: Int { (view.isLinked ? 1 : 0) + otherOnlineCount }

    /// The number of other nodes and displays that are online. Services are not among them.
    var otherOnlineCount: Int {
        peers.online.count { $0 != identity.node && peers[$0].presence?.role != .service }
    }

    /// Notes the node that serves the plain topics instead of this one; `nil` if none does.
    package func noteServer(ofPlainTopics server: NodeID?) { plainServer = server }

    var groupTime: GroupTime { groupTime(at: clocks()) }

    package func groupTime(at now: Instant) -> GroupTime { core.engine.groupTime(now) }

    /// Streams what the node shows; a slow reader gets the latest. `make` runs on the loop; it must not block.
    package func changes<Shown: Sendable>(
        _ make: @escaping @Sendable (isolated Node) -> Shown
    ) -> AsyncStream<Shown> {
        let (stream, continuation) = AsyncStream.makeStream(of: Shown.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(make(self))
        let id = hub.add { continuation.yield(make($0)) }
        continuation.onTermination = { [weak self, loop] _ in
            loop.execute { [weak self] in self?.assumeIsolated { $0.hub.remove(id) } }
        }
        return stream
    }

    /// Sets the one handler that gets each new view first, on the loop's thread, for the times that lockstep-bench
    /// measures. It must not block, nor call the node. Displays use ``changes(_:)``.
    package func onView(_ handler: (@Sendable (View) -> Void)?) { hub.handler = handler }

    /// Shows the view again, because something beside it has changed.
    private func redraw() { hub.show(self) }

    private func showFeeds() {
        redraw()
        hub.armDebtTick(at: groupTime)
    }

    // MARK: The core

    /// Passes an event to the core and carries out its actions.
    func handle(_ event: NodeCore.Event) {
        guard runner.add(event) else { return }
        while let actions = runner.next() { for action in actions { perform(action) } }
        if hub.note(online: peers.online.count) { hub.isShowDue = true }
        showChanges()
        askers.deliver(on: loop)
    }

    private func perform(_ action: NodeCore.Action) {
        switch action {
        case .write(let write): self.write(write)
        case .send(let outgoing, let number, let message):
            // Ledger records have no message, and are not counted.
            if message != nil { counted.published += 1 }
            guard let number else { return link.send(outgoing) }
            link.send(outgoing) { [weak self] result in
                self?.assumeIsolated { $0.handle(.sent(number, NodeCore.Confirmation(result))) }
            }
        case .subscribe(let filters, let barrier): subscribe(filters, barrier: barrier)
        case .unsubscribe(let filters): link.unsubscribe(filters)
        case .makeWay(let time): link.makeWay(for: time)
        case .reply(let ticket, let reply): self.reply(reply, to: ticket)
        case .changeRecords(let changes): files.change(changes)
        case .readRecords(let ids): _ = runner.add(.recordsRead(files.acknowledgedRecords(ids)))
        case .deliver(.feed(let feed)): if hub.feeds.take(feed) { showFeeds() }
        case .deliver: break
        case .answerConfirmed(let answer):
            counted.answers[ReplyReport.Outcome(answer.outcome).rawValue, default: 0] += 1
        case .presenceConfirmed(let isSleeping): suspend.noteConfirmedAnnouncement(isSleeping: isSleeping)
        case .registersConfirmed: askers.registerConfirmation.resume()
        case .caughtUp:
            recent.note(retained: peers.all.compactMap { core.engine.register(of: $0.node) }, at: groupTime)
            askers.catchUp.resume()
        case .show: hub.isShowDue = true
        case .log(let note): log.write(note, of: core.engine)
        }
    }

    private func write(_ write: NodeCore.Write) {
        let wasUnsaved = isUnsaved
        let result = files.write(write)
        if isUnsaved { counted.failedWrites += 1 }
        _ = runner.add(result)
        // Displays show beside the session that it is not saved.
        if isUnsaved != wasUnsaved { redraw() }
    }

    /// Shows a new view, if there is one. Observers run after the published messages were written.
    private func showChanges() {
        guard hub.isShowDue else { return }
        hub.isShowDue = false
        hub.handler?(view)
        loop.executeLast { [weak self] in
            self?.assumeIsolated { node in
                if let register = node.view.register { node.recent.note(register, at: node.groupTime) }
                node.redraw()
                node.log.show(node.view)
                node.reportEvents()
            }
        }
    }
}
