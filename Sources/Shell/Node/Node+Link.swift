// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
public import Mosquitto
import Session
public import Wire

/// How far a node's first connection has come.
struct Settling {
    /// How long a passing remote waits for the first answer to its hello, in milliseconds.
    ///
    /// A node answers one hello a second, and spreads its answer over 200 ms.
    static let helloPatience: Int64 = 1_500
    /// How long it waits for the others behind the first answer: nodes spread theirs over 200 ms.
    static let helloSpread: Int64 = 300

    /// Whether what the broker had retained, or the others said instead, has arrived.
    var isOver = false
    /// Whether somebody has answered the hello.
    var isAnswered = false
    /// Those who wait for that.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// Runs out when nobody, or nobody else, answers the hello.
    var helloDeadline: LoopTimer?
}

/// The node's connection to the broker.
extension Node {
    /// Stays connected to a broker until the task is cancelled, then says goodbye.
    ///
    /// A broker that is away, full or refuses is no failure of the node: it is said in the log once and tried again.
    /// - Throws: `MQTTError` only for a configuration that no broker can mend.
    public func runLink(_ configuration: Mosquitto.Configuration) async throws(MQTTError) {
        var configuration = configuration
        if identity.isAnnounced {
            configuration.makeWill = { [weak self] _ in self?.assumeIsolated { $0.will() } }
        }
        configuration.closeDeadlineMilliseconds = 500
        let client = MQTTClient(configuration, on: loop)
        self.client = client
        await client.onEvent { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
        try await client.run()
    }

    /// Waits until the broker has handed over what it had retained.
    /// - Parameter milliseconds: For how long at most.
    /// - Returns: Why there is no connection after that time; `nil` when all went well, or when there is one but the
    ///   broker does not let the node hear itself.
    public func waitUntilSettled(milliseconds: Int64 = 4_000) async -> String? {
        let deadline = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.settled() } }
        deadline.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + milliseconds)
        if !settling.isOver { await withCheckedContinuation { settling.waiters.append($0) } }
        deadline.cancel()
        return view.isLinked ? nil : lastLinkProblem ?? "no answer in \(milliseconds / 1_000) s"
    }

    private func settled() {
        settling.isOver = true
        for waiter in settling.waiters { waiter.resume() }
        settling.waiters = []
        settling.helloDeadline = nil
    }

    /// The barrier is back. Where the broker has handed out nothing, because there is nothing or because it keeps retained
    /// messages from wildcard subscriptions, the engine has said hello, and the answers to that are waited for.
    func settledAfterHello() {
        guard !identity.isAnnounced, peers.isEmpty, !settling.isOver else { return settled() }
        settling.helloDeadline = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.settled() } }
        settling.helloDeadline?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Settling.helloPatience)
    }

    /// Ends the wait for answers to a hello soon after the first one.
    private func helloAnswered() {
        guard let deadline = settling.helloDeadline, !settling.isAnswered else { return }
        settling.isAnswered = true
        deadline.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Settling.helloSpread)
    }

    /// Publishes that the node goes offline, and closes the connection. The session goes on by date.
    public func goOffline() async {
        guard let client else { return }
        releaseRecords()
        if identity.isAnnounced, let connection {
            await client.send(Mosquitto.Message(codec.will(for: presence(connection: connection))))
        }
        connection = nil
        await client.close(deadlineMilliseconds: 500)
    }

    private func will() -> Mosquitto.Message? {
        let id: ConnectionID = ULID.make(at: groupTime)
        connection = id
        return Mosquitto.Message(codec.will(for: presence(connection: id)))
    }

    private func handle(_ event: Event) {
        switch event {
        case .connected(let made):
            lastLinkProblem = nil
            counted.connections += 1
            log.info("connected to the broker", metadata: ["protocol": "\(made.version)"])
            let id = connection ?? ULID.make(at: groupTime)
            connection = id
            twin.connected(as: id)
            canBeDeaf = made.version == .v5
            feed(.linkUp(id))
        case .message(let message): receive(message)
        case .disconnected(let error, let retry):
            connection = nil
            linkRecords(isUp: false)
            feed(.linkDown)
            if !twin.isYielding { sayDisconnected(error) }
            if retry == nil { settled() }
        case .overflow: break  // A handler takes every message as it comes.
        }
    }

    private func sayDisconnected(_ error: MQTTError) {
        guard lastLinkProblem != error.description else { return }
        lastLinkProblem = error.description
        log.warning("no connection to the broker: \(error.description)")
    }

    private func receive(_ message: Mosquitto.Message) {
        counted.received += 1
        guard !twin.isYielding else { return }
        if let own = lastEncoded, own.outgoing.payload == message.payload, own.outgoing.topic == message.topic {
            // Mostly it was published last, and comes back.
            feed(.received(.register(own.register), from: identity.node, retained: message.retain))
            return
        }
        let decoded = codec.decode(
            topic: message.topic, payload: message.payload, retained: message.retain, now: groupTime,
            memory: &memory)
        switch decoded {
        case .message(let content, let sender):
            if identity.isAnnounced, sender == identity.node, case .presence(let presence) = content,
                yieldsToTwin(presence, retained: message.retain)
            {
                return
            }
            feed(.received(content, from: sender, retained: message.retain))
            switch content {
            case .presence, .register: if !settling.isOver { helloAnswered() }
            case .intent, .ack, .hello, .ping, .pong: break
            }
        case .barrier(let id):
            barrierCameBack(id)
        case .erased(let sender): feed(.erased(from: sender))
        case .discard(let reason, let sender): feed(.discarded(reason, from: sender))
        case .feed(let feed): take(feed)
        case .ledgerAck(let ack): hear(ack)
        case .sound, .record, .ignored: break
        }
    }

    /// Says for the calm service how loud it is here, as of now.
    /// - Returns: Whether there is a connection: a level is of no use later.
    public func say(_ level: SoundLevel) -> Bool {
        guard let client, view.isLinked else { return false }
        var level = level
        level.sent = clocks().boot
        level.bootID = identity.bootID
        client.assumeIsolated { $0.send(Mosquitto.Message(codec.encode(level))) }
        return true
    }

    /// Subscribes, and sends a message to itself behind that: when it is back, so is all that was retained.
    ///
    /// Under MQTT 5 the node asks not to hear its own registers: the broker would send each back to their author before
    /// anybody else gets it.
    func raiseBarrier(_ connection: ConnectionID) {
        // At QoS 0: a session that ends with its connection gets nothing a second time, so acknowledgements would only
        // cost a packet for each message and let the broker hold back all but twenty.
        let subscriptions = codec.subscriptions.map {
            Subscription($0, qos: .atMostOnce, noLocal: !codec.needsEcho(on: $0))
        }
        let own = canBeDeaf ? [Subscription(codec.ownSession, qos: .atMostOnce)] : []
        let barrier = Mosquitto.Message(codec.barrier(connection))
        client?.assumeIsolated { client in
            client.subscribe(own + subscriptions, completion: nil)
            client.send(barrier)
        }
    }
}

extension Mosquitto.Message {
    /// What a codec has made, for the connection.
    public init(_ outgoing: Outgoing) {
        self.init(
            topic: outgoing.topic, payload: outgoing.payload, qos: outgoing.qos == 0 ? .atMostOnce : .atLeastOnce,
            retain: outgoing.retain)
    }
}
