// SPDX-License-Identifier: Apache-2.0

import Ledger
public import Session
public import Wire

/// A whole node without clocks, disk and sockets: events go in, actions come out.
///
/// The caller must send ``Event/restored(_:)`` first, then events one at a time in the order in which they happened,
/// each with readings of both clocks. It must carry out every action, in order, before the next event, and let the core
/// ``rest(at:)`` when no event waits any more. It sends `wake` at ``nextWake``, or soon after. The node, the services,
/// the simulated machine, the tests and the bench are loops around this one value, so the code that is simulated is the
/// code that ships. ``CoreLoop`` keeps the order for them.
public struct NodeCore: Sendable {
    /// The engine. Only events change it.
    public private(set) var engine: Engine
    /// Reads and writes the messages of the space.
    public let codec: WireCodec
    public private(set) var connection: ConnectionID?
    /// When ``Event/input(_:)`` is needed with `wake`; `nil` while only another event can change anything.
    public private(set) var nextWake: BootTime?

    /// Whether the node is subscribed to its own session by name. With MQTT 5 it is until the barrier passes or a
    /// register leaves, because the broker withholds the node's own messages from its other subscriptions.
    private var isOwnSubscribed = false
    /// Whether the retained messages of the present connection have arrived, or the wait for them has ended.
    private var isReady = false
    private(set) var delivery = Delivery()
    private var outbox = Outbox()
    private var recordRetry: Wait?
    /// The last write on disk whose records are not released yet.
    private var unreleasedWrite: Int?
    /// Whether a register has left since the last rest.
    private var hasJustPublished = false
    private var catchUp = CatchUp()
    private var twin = Twin()
    private var ownPayload = OwnPayload()
    private var random: SplitMix64
    private var shown: (view: View, isCatchingUp: Bool) = (View(), false)
    private var actions: [Action] = []

    /// Makes the core of a node that knows nothing yet. `seed`, another one for each process, determines random waits.
    public init(identity: NodeIdentity, space: SpaceID, seed: UInt64) {
        engine = Engine(identity: identity)
        codec = WireCodec(space: space, me: identity.node)
        random = SplitMix64(seed: seed)
    }

    /// Handles one event at one instant, and returns the actions that the caller must carry out, in order.
    public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        endOverdueWait(before: event, at: now)
        switch event {
        case .restored(let found): restore(found, at: now)
        case .connected(let id, let hearsItself): noteConnected(id, hearsItself: hearsItself, at: now)
        case .disconnected(let willRetry): noteDisconnected(willRetry: willRetry, at: now)
        case .received(let packet): if !twin.isMakingWay { receive(packet, at: now) }
        case .sent(let number, let confirmation): confirm(number, confirmation, at: now)
        case .written(let write): noteWritten(write, at: now)
        case .writeFailed(let write): decide(.journalFailed(write), at: now)
        case .recordsRead(let records): changeOutbox { $0.addRead(records, at: now.boot) }
        case .input(let input):
            switch input {
            case .press(_, _, let ticket), .take(_, let ticket): ask(input, for: ticket, at: now)
            case .hangUp(let ticket):
                catchUp.hangUp(ticket)
                decide(input, at: now)
            default: decide(input, at: now)
            }
        case .added(let record): changeOutbox { $0.addFiled(record, at: now.boot) }
        }
        defer { actions = [] }
        return actions
    }

    /// Does what no person waits for: releases records, computes the view, asks for clocks, and plans the next wake.
    /// Events that the returned actions cause are handled, and then the core rests again.
    public mutating func rest(at now: Instant) -> [Action] {
        releaseRecords(at: now)
        expire(at: now)
        // An event for another part, such as a confirmation, can come when the engine's wake is due. It is sent here.
        if now.hasReached(engine.nextWake) { decide(.wake, at: now) }
        for effect in engine.rest(at: now) { perform(effect, at: now) }
        if connection != nil, !isReady, !engine.isCatchingUp { becomeReady(at: now) }
        show()
        planWake()
        defer { actions = [] }
        return actions
    }

    // MARK: Questions

    public var view: View { engine.view }
    /// Whether retained messages of the present connection are still arriving, so that the view may be an earlier one.
    public var isCatchingUp: Bool { engine.isCatchingUp }
    /// Whether the retained messages of the first connection have arrived, or there will be no connection.
    public var hasCaughtUp: Bool { catchUp.isOver }
    /// Whether the broker has not confirmed every register yet.
    public var hasUnconfirmedRegisters: Bool { delivery.hasRegisters }
    /// Why the broker has refused the own register; `nil` once it accepts one.
    public var registerRefusal: RegisterRefusal? { delivery.refusal }
    /// The number of ledger records that the debt service has not acknowledged.
    public var recordsWaiting: Int { outbox.waiting.records.count }

    /// Whether the connection is about to be given up to another program of this id. Messages are not read any more.
    package var isMakingWay: Bool { twin.isMakingWay }

    /// Returns whether another program uses this node's id.
    public func isTwinKnown(at boot: BootTime) -> Bool { twin.isKnown(at: boot) }

    /// Returns the message that the broker publishes when the connection breaks: this node's presence, offline.
    public func will(of connection: ConnectionID, at now: Instant) -> Outgoing {
        codec.will(for: engine.presence(at: now, connection: connection, online: true))
    }

    // MARK: The engine

    private mutating func decide(_ input: Input, at now: Instant) {
        for effect in engine.handle(input, at: now) { perform(effect, at: now) }
    }

    /// Decides a request for the session; if there is none here, asks the other nodes first. The broker may have
    /// withheld the session. `pressedAt` is the time of a request that has waited for the other nodes.
    private mutating func ask(_ input: Input, for ticket: Ticket, pressedAt: GroupTime? = nil, at now: Instant) {
        if engine.mayLackSession(within: CatchUp.helloTimeout, at: now) {
            catchUp.hold(input, ticket: ticket, since: pressedAt ?? engine.groupTime(now), at: now.boot)
            decide(.sayHello, at: now)
        } else if let pressedAt, let found = engine.view(at: now).register, found.status.isLive,
            found.startedAt > pressedAt
        {
            // The person pressed before this session began, so the press was not for it.
            actions.append(.reply(ticket, .noSession))
        } else {
            decide(input, at: now)
        }
    }

    private mutating func show() {
        let isCatchingUp = engine.isCatchingUp
        guard engine.view != shown.view || isCatchingUp != shown.isCatchingUp else { return }
        shown = (engine.view, isCatchingUp)
        actions.append(.show)
    }

    private mutating func planWake() {
        let times: [BootTime?] = [
            engine.nextWake, recordRetry?.end, isReady ? delivery.resendAt : nil, twin.deadline,
            catchUp.wait?.end,
        ]
        nextWake = times.lazy.compactMap(\.self).min()
    }

    private mutating func perform(_ effect: Effect, at now: Instant) {
        switch effect {
        case .journal(let journal, let number):
            let records = outbox.file(except: journal.own?.id, write: number)
            let write = Write(
                number: number, json: journal.json(own: journal.own.map { ownPayload.make(of: $0) }), journal: journal,
                waiting: records.waiting, acknowledged: records.acknowledged)
            actions.append(.write(write))
        case .record(let register, let isApproximate): outbox.hold(register, isApproximate: isApproximate)
        case .publish(let message): publish(message, at: now)
        case .barrier(let connection): subscribe(connection)
        case .reply(let ticket, let reply): actions.append(.reply(ticket, reply))
        case .log(let note): actions.append(.log(.engine(note)))
        }
    }

    private var publishesPresence: Bool { engine.identity.publishesPresence }

    private mutating func expire(at now: Instant) {
        if now.hasReached(twin.deadline) { passBarrier(at: now) }
        if catchUp.expire(at: now.boot) { actions.append(.caughtUp) }
        let held = catchUp.removeHeld(isConnected: connection != nil)
        for (input, ticket, time) in held { ask(input, for: ticket, pressedAt: time, at: now) }
        if now.hasReached(recordRetry?.end) { changeOutbox { $0.waiting.retry(at: now.boot) } }
        if isReady, now.hasReached(delivery.resendAt) { sendWaitingAnswers(at: now) }
    }

    // MARK: The disk

    private mutating func restore(_ found: Restored, at now: Instant) {
        let me = codec.me
        let journal = found.journal?.owned(by: me)
        changeOutbox { outbox in
            // Records of a former id of this node are sent under the present one.
            outbox.restore(
                waiting: found.waiting.map { $0.record.node == me ? $0 : DigestedRecord($0.record.owned(by: me)) },
                acknowledged: found.acknowledged.filter { $0.record.node == me })
            // The record as it was found: the engine's changes are not on disk yet.
            if let record = found.journal?.record { outbox.restore(record.owned(by: me), at: now.boot) }
        }
        let filed = found.waiting.filter { $0.record.node == me }.map(\.record.version).max()
        decide(.restored(journal, filed: filed), at: now)
    }

    private mutating func noteWritten(_ write: Int, at now: Instant) {
        for effect in engine.noteWritten(write, at: now) { perform(effect, at: now) }
        unreleasedWrite = write
    }

    /// Releases the records that are on disk, unless a register has just left, for which people wait. Then the
    /// confirmation of that register, or the end of its connection, brings the next rest.
    private mutating func releaseRecords(at now: Instant) {
        defer { hasJustPublished = false }
        if hasJustPublished, delivery.hasRegisters { return }
        let due = unreleasedWrite  // rule: recordsHeld, else: .max
        guard let due else { return }
        unreleasedWrite = nil
        changeOutbox { $0.noteWritten(due, at: now.boot) }
    }

    /// Changes the outbox, and turns its work into actions.
    private mutating func changeOutbox(_ change: (inout Outbox) -> Void) {
        change(&outbox)
        let work = outbox.removeWork()
        if !work.changes.isEmpty { actions.append(.changeRecords(work.changes)) }
        if !work.wanted.isEmpty { actions.append(.readRecords(work.wanted)) }
        for digested in work.outgoing { actions.append(.send(codec.encode(digested), nil, of: nil)) }
        for (id, outcome) in work.refused { actions.append(.log(.recordNotKept(id, outcome))) }
        recordRetry = outbox.waiting.retryWait(using: &random)
    }

    // MARK: The connection

    private mutating func noteConnected(_ id: ConnectionID, hearsItself: Bool, at now: Instant) {
        connection = id
        isReady = false
        isOwnSubscribed = !hearsItself
        twin.noteConnected(as: id)
        decide(.linkUp(id, hearsItself: hearsItself), at: now)
    }

    private mutating func noteDisconnected(willRetry: Bool, at now: Instant) {
        connection = nil
        isReady = false
        twin.noteDisconnected()
        let lost = delivery.noteDisconnected()
        for case .presence(isSleeping: true) in lost { actions.append(.presenceConfirmed(isSleeping: true)) }
        actions.append(.registersConfirmed)
        changeOutbox { $0.waiting.noteLink(isUp: false, at: now.boot) }
        decide(.linkDown, at: now)
        if !willRetry, catchUp.end() { actions.append(.caughtUp) }
    }

    /// Subscribes, with a barrier to this node after all retained messages. Under MQTT 5 a node asks not to receive
    /// its own registers, which the broker would send back before any other node gets them. Until the barrier it
    /// subscribes to its own session by name, to learn the register that the broker kept.
    private mutating func subscribe(_ connection: ConnectionID) {
        var filters = codec.subscriptions.map {
            Filter(topics: $0, isNoLocal: isOwnSubscribed && !codec.needsEcho(on: $0))
        }
        if isOwnSubscribed { filters.insert(Filter(topics: codec.ownSession, isNoLocal: false), at: 0) }
        actions.append(.subscribe(filters, barrier: codec.barrier(connection)))
    }

    /// Ends the subscription to the own session, before a register of this node would return by it.
    private mutating func unsubscribe() {
        if isOwnSubscribed { actions.append(.unsubscribe([codec.ownSession])) }
        isOwnSubscribed = false
    }

    /// Passes an overdue barrier before a request is decided: a register that it recovers would undo the effect.
    private mutating func endOverdueWait(before event: Event, at now: Instant) {
        switch event {
        case .input(.start), .input(.press), .input(.take): if now.hasReached(twin.deadline) { passBarrier(at: now) }
        default: break
        }
    }

    /// Passes the barrier, unless a twin may have an answer on its way.
    private mutating func noteBarrierReturned(_ id: ConnectionID, at now: Instant) {
        guard id == connection, twin.noteBarrierReturned(at: now.boot) else { return }
        passBarrier(at: now)
    }

    private mutating func passBarrier(at now: Instant) {
        guard let connection, !twin.isMakingWay else { return }
        twin.keepConnection()
        decide(.barrierPassed(connection), at: now)
    }

    /// Sends what waited for the barrier: answers after the own register, then records, which no person waits for.
    private mutating func becomeReady(at now: Instant) {
        isReady = true
        if catchUp.noteBarrierPassed(needsAnswers: !publishesPresence && engine.hasSaidHello, at: now.boot) {
            actions.append(.caughtUp)
        }
        sendWaitingAnswers(at: now)
        changeOutbox { $0.waiting.noteLink(isUp: true, at: now.boot) }
        unsubscribe()
    }

    /// Decodes a message of the broker, and gives it to the part that it is for.
    private mutating func receive(_ packet: Packet, at now: Instant) {
        let decoded = codec.decode(
            topic: packet.topic, payload: packet.payload, retained: packet.isRetained, now: engine.groupTime(now))
        switch decoded {
        case .message(.presence(let presence), let sender) where publishesPresence && sender == codec.me:
            updateTwin(presence, isRetained: packet.isRetained, at: now)
            if !twin.isMakingWay { receive(.presence(presence), from: sender, in: packet, at: now) }
        case .message(let message, let sender):
            if case .register(let register) = message, publishesPresence, sender == codec.me, !isReady {
                expectTwin(ifNewer: register)
            }
            receive(message, from: sender, in: packet, at: now)
        case .barrier(let id): noteBarrierReturned(id, at: now)
        case .erased(let sender, let isPresence): decide(.erased(from: sender, isPresence: isPresence), at: now)
        case .discard(let reason, let sender): decide(.discarded(reason, from: sender), at: now)
        case .ledgerAck(let ack):
            if publishesPresence, ack.node == codec.me { changeOutbox { $0.receive(ack, at: now.boot) } }
        case .feed(.calm(let feed?)) where !packet.isRetained: decide(.named(feed.session), at: now)
        case .feed, .sound, .record, .ignored: break
        }
        let isDelivered = if case .feed = decoded { true } else { engine.identity.role == .service }
        if isDelivered { actions.append(.deliver(decoded)) }
    }

    private mutating func receive(_ message: Message, from sender: NodeID, in packet: Packet, at now: Instant) {
        decide(.received(message, from: sender, retained: packet.isRetained), at: now)
        if case .register(let register) = message, register.status.isLive { catchUp.noteLiveSession(at: now.boot) }
    }

    /// Expects a twin if the broker keeps a register of this node that the journal lacks. Either the journal was lost,
    /// or another program has this id. The retained presence cannot tell: this node's own has replaced it.
    private mutating func expectTwin(ifNewer register: Register) {
        let own = engine.register(of: codec.me)?.version
        if own.map({ $0 < register.version }) ?? true { twin.expect() }
    }

    /// Checks a presence under this node's id, and gives the connection up to an earlier twin.
    private mutating func updateTwin(_ presence: Presence, isRetained: Bool, at now: Instant) {
        guard let connection else { return }
        if twin.receive(presence, retained: isRetained, on: connection, at: now.boot) {
            actions.append(.log(.twin(name: twin.name)))
        }
        guard twin.isMakingWay else { return }
        let wait = twin.nextWait(using: &random)
        actions.append(.log(.makingWay(for: wait)))
        actions.append(.makeWay(for: wait))
    }

    // MARK: Sending

    private mutating func publish(_ message: Message, at now: Instant) {
        switch message {
        case .register(let register):
            unsubscribe()
            hasJustPublished = true
            let outgoing = codec.session(ownPayload.make(of: register))
            let number = delivery.track(.register(bytes: outgoing.payload.count))
            actions.append(.send(outgoing, number, of: message))
        case .ack(.answer(let answer)):
            let waiting = Delivery.WaitingAnswer(answer, decidedAt: now.boot)
            // Peers get the register first, and an asker is told "applied" when it is true for all. The broker handles
            // one message after the other, so an answer sent at once would delay the register: a press would take a
            // fifth longer.
            if isReady, !delivery.hasRegisters {
                send(waiting)
            } else {
                delivery.add(waiting)
            }
        case .presence(let presence):
            let number = delivery.track(.presence(isSleeping: presence.isSleeping))
            actions.append(.send(codec.encode(message), number, of: message))
        case .ack, .intent, .notice, .hello, .ping, .pong:
            actions.append(.send(codec.encode(message), nil, of: message))
        }
    }

    private mutating func sendWaitingAnswers(at now: Instant) {
        for waiting in delivery.removeDue(at: now.boot) { send(waiting) }
    }

    private mutating func send(_ waiting: Delivery.WaitingAnswer) {
        let message = Message.ack(.answer(waiting.answer))
        actions.append(.send(codec.encode(message), delivery.track(.answer(waiting)), of: message))
    }

    /// Handles a confirmation: it only releases what waited for it.
    private mutating func confirm(_ number: MessageNumber, _ confirmation: Confirmation, at now: Instant) {
        guard let content = delivery.confirm(number, confirmation, at: now.boot) else { return }
        switch content {
        case .register:
            if isReady { sendWaitingAnswers(at: now) }
            if !delivery.hasRegisters { actions.append(.registersConfirmed) }
        case .answer(let waiting): if confirmation == .delivered { actions.append(.answerConfirmed(waiting.answer)) }
        case .presence(let isSleeping):
            if isSleeping || confirmation == .delivered { actions.append(.presenceConfirmed(isSleeping: isSleeping)) }
        }
    }
}
