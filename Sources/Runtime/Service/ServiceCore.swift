// SPDX-License-Identifier: Apache-2.0

package import Core
package import Logging
package import Mosquitto
package import Session
package import Settings
package import Wire

/// The connection and the log that the spaces of a service share. It is used on the loop's thread.
package struct ServiceOutput {
    package typealias Completion = BrokerLink.Completion

    private let send: (Outgoing, Completion?) -> Void
    /// Gives the connection up for some milliseconds.
    let makeWay: (Milliseconds) -> Void
    let log: Logger

    package init(
        log: Logger, makeWay: @escaping (Milliseconds) -> Void, send: @escaping (Outgoing, Completion?) -> Void
    ) {
        (self.log, self.makeWay, self.send) = (log, makeWay, send)
    }

    package func publish(_ outgoing: Outgoing, completion: Completion? = nil) { send(outgoing, completion) }
}

/// The core of a service in one space. It is used on the loop's thread. It owns no session; it knows group time, the
/// current session, the nodes, and whether it publishes its feed.
package final class ServiceCore {
    /// The service that this is the core of. It decides which feed is watched.
    package enum Kind { case calm, debt }

    /// Called after each event.
    package var onHandled: () -> Void = {}
    /// Called when the service must publish its feed. Its turn begins, or the broker has lost the feed.
    package var onTurn: () -> Void = {}
    private var runner: CoreRunner
    private let output: ServiceOutput
    private var sessionLog: SessionLog
    private var delivered: [Decoded] = []
    private let kind: Kind
    private var turn: FeedTurn
    private var askTimer: LoopTimer?

    /// - Parameter former: Services that do not serve, since this one has their lock.
    package init(
        _ kind: Kind, space: SpaceID, settings: NodeSettings, bootID: BootID, loop: EventLoop, output: ServiceOutput,
        after former: Set<NodeID> = []
    ) {
        self.kind = kind
        self.output = output
        turn = FeedTurn(settings.node, after: former)
        sessionLog = SessionLog(log: output.log, node: settings.node)
        // People look for a service on its machine, which its id does not name. So the machine gives the name.
        let machine =
            CleanText.accepts(NodeSettings.hostName, bytes: Limits.nameBytes) ? NodeSettings.hostName : settings.name
        let name = settings.name == settings.node.rawValue ? machine : settings.name
        let identity = NodeIdentity(
            node: settings.node, name: name, role: .service, software: Software.name, bootID: bootID)
        runner = CoreRunner(NodeCore(identity: identity, space: space, seed: .random(in: 0 ... .max)))
        // Used on the loop's thread only.
        nonisolated(unsafe) weak let core = self
        runner.use(loop) { core?.handle(.input(.wake)) }
        askTimer = loop.makeTimer { core?.ask() }
    }

    package var engine: Engine { _read { yield runner.coreLoop.core.engine } }
    package var codec: WireCodec { runner.coreLoop.core.codec }
    /// Whether this service publishes the feed and answers nodes; otherwise another service does.
    package var serves: Bool { turn.serves }

    /// Returns the will of a connection, which is also the goodbye.
    package func will(_ connection: ConnectionID) -> MQTTMessage {
        MQTTMessage(runner.coreLoop.core.will(of: connection, at: Clocks.now()))
    }

    package func groupTime(at now: Instant) -> GroupTime { engine.groupTime(now) }

    /// Handles a message, and returns it decoded.
    package func receive(_ message: MQTTMessage) -> [Decoded] {
        handle(
            .received(NodeCore.Packet(topic: message.topic, payload: message.payload, isRetained: message.retain)))
        defer { delivered = [] }
        for case .feed(let feed) in delivered { receive(feed) }
        return delivered
    }

    /// Passes an event to the core and carries out its actions.
    package func handle(_ event: NodeCore.Event) {
        if case .connected = event { turn.noteDisconnected() }
        guard runner.add(event) else { return }
        while let actions = runner.next() { for action in actions { perform(action) } }
        updateTurn()
        onHandled()
    }

    // MARK: The turn

    private func receive(_ feed: Feed) {
        let (isOwnKind, writer, isWithdrawn) =
            switch feed {
            case .calm(let feed): (kind == .calm, feed?.by, feed == nil)
            case .debt(let feed): (kind == .debt, feed?.by, feed == nil)
            case .debtYear(let year): (kind == .debt, nil, year == nil)
            }
        guard isOwnKind else { return }
        updateTurn { turn in
            // A feed of an older program names no writer.
            if let writer { turn.receive(from: writer) } else { isWithdrawn }
        }
    }

    /// Applies a change to the turn, and calls ``onTurn`` if the feed must be published. `change` returns whether it
    /// must be published again.
    private func updateTurn(_ change: (inout FeedTurn) -> Bool = { _ in false }) {
        let (served, other) = (turn.serves, turn.other)
        let mustRepeat = change(&turn)
        if !engine.view.isLinked {
            turn.noteDisconnected()
        } else if !engine.isCatchingUp {
            turn.begin()
        }
        let names: Logger.Metadata = ["space": "\(codec.topics.space)", "feed": "\(kind)"]
        if turn.serves, !served { output.log.info("publishes the feed", metadata: names) }
        if let present = turn.other, present != other {
            output.log.notice(
                "the service \(present) publishes the feed; this one stands by until it is gone", metadata: names)
            ask()
        }
        if turn.serves, mustRepeat || !served { onTurn() }
    }

    /// Asks the service that publishes the feed whether it is still there.
    private func ask() {
        let now = Clocks.now()
        guard let other = turn.other, let connection = runner.coreLoop.core.connection else { return }
        if let other = turn.ask(answeredAt: engine.peers[other].lastReceived, at: now.boot) {
            let ping = Ping(connection: connection, sent: now.boot, at: groupTime(at: now))
            output.publish(codec.encode(.ping(ping, to: other)))
            askTimer?.arm(at: now.boot + FeedTurn.interval)
        } else {
            output.log.notice("the other service does not answer", metadata: ["service": "\(other)"])
            updateTurn()
        }
    }

    private func perform(_ action: NodeCore.Action) {
        switch action {
        // A service owns no session, so it has no journal.
        case .write(let write): _ = runner.add(.written(write.number))
        case .send(let outgoing, let number, _):
            guard let number else { return output.publish(outgoing) }
            nonisolated(unsafe) weak let core = self
            output.publish(outgoing) { result in core?.handle(.sent(number, NodeCore.Confirmation(result))) }
        // `ServiceLink` subscribes for all spaces.
        case .subscribe(_, let barrier): output.publish(barrier)
        case .makeWay(let time): output.makeWay(time)
        case .deliver(let decoded): delivered.append(decoded)
        case .log(let note): sessionLog.write(note, of: engine)
        case .unsubscribe, .reply, .changeRecords, .readRecords, .answerConfirmed, .presenceConfirmed,
            .registersConfirmed, .caughtUp,
            .show:
            break
        }
    }
}
