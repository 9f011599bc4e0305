// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Session
import Wire

/// What a node has published and the broker has not acknowledged yet.
struct Delivery {
    /// An answer as an owner, that was not delivered yet.
    struct Held {
        var message: Session.Message
        /// Until when whoever asked can use it, on the boot clock of the loop.
        var until: Int64
    }

    /// The most answers that are held.
    static let heldLimit = 256

    /// Registers that the broker has not acknowledged yet.
    var registers = 0
    /// How many intents have left.
    var intents = 0
    /// Answers that wait for the register that they speak of, or for the next connection.
    var held: [Held] = []
    /// The size of the own register that the broker has refused; `nil` once it takes one.
    var refusedBytes: Int?
    /// Those who wait until no register is on its way.
    var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func hold(_ message: Session.Message, until: Int64) {
        held.append(Held(message: message, until: until))
        if held.count > Self.heldLimit { held.removeFirst() }
    }
}

extension Node {
    /// How long a start waits for the broker to take its register, in milliseconds.
    private static let patience: Int64 = 300

    /// The own register with its payload, which the journal and the broker get in turn.
    func encoded(_ register: Register) -> Outgoing {
        let encoded = codec.encode(register, after: lastEncoded)
        lastEncoded = encoded
        return encoded.outgoing
    }

    func publish(_ message: Session.Message) {
        guard let client else { return }
        // Who gets the register needs no answer, so the answer follows it.
        if delivery.registers > 0, case .ack = message { return holdAnswer(message) }
        counted.published += 1
        let encoded: Outgoing
        if case .register(let register) = message {
            encoded = self.encoded(register)
            delivery.registers += 1
        } else {
            if case .intent = message { delivery.intents += 1 }
            encoded = codec.encode(message)
        }
        client.assumeIsolated { client in
            client.send(Mosquitto.Message(encoded)) { [weak self] result in
                self?.assumeIsolated { $0.sent(message, as: encoded, result) }
            }
        }
    }

    private func holdAnswer(_ message: Session.Message) {
        delivery.hold(message, until: EventLoop.bootMilliseconds() + Limits.intentLife)
    }

    /// The broker's acknowledgement stands for the echo that it does not send: the register has arrived there.
    private func sent(
        _ message: Session.Message, as encoded: Outgoing, _ result: Result<PublishOutcome, MQTTError>
    ) {
        if case .presence(let presence) = message { presenceSent(isSleeping: presence.isSleeping, result) }
        if case .register = message { registerEnded(encoded, result) }
        switch result {
        case .success:
            if case .ack(.answer(let answer)) = message {
                counted.answers[ReplyReport.Outcome(answer.outcome).rawValue, default: 0] += 1
            }
            if canBeDeaf, case .register = message { feed(.received(message, from: identity.node, retained: false)) }
        case .failure(let error):
            if error.isLost, case .ack = message { holdAnswer(message) }
            if error.code == .publishRefused || error.code == .tooLarge { sayRefused(encoded, error) }
        }
    }

    private func registerEnded(_ encoded: Outgoing, _ result: Result<PublishOutcome, MQTTError>) {
        delivery.registers -= 1
        switch result {
        case .success: delivery.refusedBytes = nil
        case .failure(let error) where error.isTooLarge: delivery.refusedBytes = encoded.payload.count
        // What the connection has taken with it is published again on the next one, and the answers follow there.
        case .failure(let error) where error.isLost: return wakeWaiters()
        case .failure: break
        }
        releaseAnswers()
    }

    /// Lets the answers go that wait for nothing any more.
    func releaseAnswers() {
        guard delivery.registers == 0 else { return }
        wakeWaiters()
        guard !delivery.held.isEmpty, let client, client.assumeIsolated({ $0.connection }) != nil else { return }
        let answers = delivery.held
        delivery.held = []
        let now = EventLoop.bootMilliseconds()
        for answer in answers where answer.until > now { publish(answer.message) }
    }

    private func wakeWaiters() {
        for waiter in delivery.waiters { waiter.resume() }
        delivery.waiters = []
    }

    /// Waits until the broker has answered for the registers that are on their way, a moment at most.
    public func registersAreOut() async {
        guard delivery.registers > 0 else { return }
        let deadline = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.wakeWaiters() } }
        deadline.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Self.patience)
        await withCheckedContinuation { delivery.waiters.append($0) }
        deadline.cancel()
    }

    /// A broker that takes no message of the session's size; `nil` where none does so.
    var tooLargeProblem: ProblemReport? {
        guard let bytes = delivery.refusedBytes else { return nil }
        return ProblemReport(
            .tooLarge, "the broker refuses messages of \(bytes) bytes, so other nodes do not get this node's session",
            mend: "raise max_packet_size and message_size_limit in the broker's configuration to 20000 or more")
    }

    /// Not to be allowed is no error in the person's face: the local session works, and the log says why no other
    /// screen shows it.
    private func sayRefused(_ encoded: Outgoing, _ error: MQTTError) {
        guard lastLinkProblem != error.description else { return }
        lastLinkProblem = error.description
        log.warning(
            "the broker does not let this node publish: \(error.description)",
            metadata: ["topic": "\(encoded.topic)", "bytes": "\(encoded.payload.count)"])
    }
}

extension MQTTError {
    /// Whether the message was lost with the connection. One that is not answered in time ends the connection.
    fileprivate var isLost: Bool { code == .connectionLost || code == .notConnected || code == .timeout }

    /// Whether the broker takes no message of that size: by its CONNACK, or by a PUBACK with the reason 0x95.
    fileprivate var isTooLarge: Bool { code == .tooLarge || code == .publishRefused && reason == 0x95 }
}
