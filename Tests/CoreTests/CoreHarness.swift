// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// A core with a disk and a broker whose behaviour a test sets.
struct CoreHarness {
    static let epoch: GroupTime = 1_800_000_000_000
    static let space: SpaceID = SpaceID("home") ?? { preconditionFailure("home is a space") }()

    /// A sent message and its kind.
    struct Sent {
        var outgoing: Outgoing
        var kind: String
    }

    private var loop: CoreLoop
    private(set) var boot: BootTime = 1_000_000
    var hearsItself = true
    /// Whether the broker confirms messages.
    var confirms = true
    /// Whether confirmations wait for ``confirmHeld(_:)``.
    var holdsConfirmations = false
    var confirmation = NodeCore.Confirmation.delivered
    var bringsBarriersBack = true
    var isDiskSlow = false
    /// Whether no timer fires.
    var isAsleep = false
    var retained: [Message] = []
    var sent: [Sent] = []
    /// The writes, messages and views, in order.
    var steps: [String] = []
    private(set) var written: [NodeCore.Write] = []
    private(set) var answered: [IntentID] = []
    private(set) var announced: [Bool] = []
    private(set) var replies: [Reply] = []
    private(set) var madeWay: [Milliseconds] = []
    private(set) var subscriptions: [NodeCore.Filter] = []
    private(set) var ended: [String] = []
    private var writes: [Int] = []
    private var unconfirmed: [NodeCore.MessageNumber] = []
    private var connections = 0
    private(set) var ticket = 0

    init(_ name: String, _ restored: NodeCore.Restored = NodeCore.Restored()) {
        let identity = NodeIdentity(node: node(name), name: name, software: "test", bootID: token("boot"))
        loop = CoreLoop(NodeCore(identity: identity, space: Self.space, seed: 1))
        handle(.restored(restored))
    }

    /// The kinds of the answers that were sent.
    var answers: [String] { sent.map(\.kind).filter { $0.hasPrefix("answer") } }

    var core: NodeCore { loop.core }

    private var now: Instant {
        Instant(boot: boot, wall: WallTime(Self.epoch.milliseconds + boot.milliseconds - 1_000_000), wallBound: 5)
    }

    mutating func handle(_ event: NodeCore.Event) {
        loop.add(event)
        while let actions = loop.next(at: now) { for action in actions { carryOut(action) } }
    }

    private mutating func add(_ event: NodeCore.Event) { loop.add(event) }

    private mutating func carryOut(_ action: NodeCore.Action) {
        switch action {
        case .write(let write):
            steps.append("write")
            written.append(write)
            if isDiskSlow { writes.append(write.number) } else { add(.written(write.number)) }
        case .send(let outgoing, let confirmationToken, of: let message):
            sent.append(Sent(outgoing: outgoing, kind: Self.kind(of: message)))
            steps.append(Self.kind(of: message))
            if let confirmationToken, holdsConfirmations {
                unconfirmed.append(confirmationToken)
            } else if let confirmationToken, confirms {
                add(.sent(confirmationToken, confirmation))
            }
            if case .presence = message { add(.received(NodeCore.Packet(outgoing, isRetained: false))) }
        case .subscribe(let filters, let barrier):
            subscriptions = filters
            for message in retained {
                add(.received(NodeCore.Packet(core.codec.encode(message), isRetained: true)))
            }
            if bringsBarriersBack { add(.received(NodeCore.Packet(barrier, isRetained: false))) }
        case .unsubscribe(let filters):
            ended += filters
            steps.append("unsubscribe")
        case .makeWay(let time): madeWay.append(time)
        case .answerConfirmed(let answer): answered.append(answer.intent)
        case .presenceConfirmed(let isSleeping): announced.append(isSleeping)
        case .readRecords: add(.recordsRead([]))
        case .show: steps.append("show")
        case .reply(_, let reply): replies.append(reply)
        case .changeRecords, .deliver, .registersConfirmed, .caughtUp, .log: break
        }
    }

    private static func kind(of message: Message?) -> String {
        switch message {
        case .register: "register"
        case .presence: "presence"
        case .ack(.answer(let answer)): "answer \(answer.intent)"
        case nil: "record"
        case .hello: "hello"
        case .intent: "intent"
        default: "other"
        }
    }

    mutating func connect() {
        connections += 1
        handle(.connected(token("c\(connections)"), hearsItself: hearsItself))
    }

    /// Ends the connection, forgets what was sent, and connects again.
    mutating func reconnect() {
        handle(.disconnected(willRetry: true))
        sent = []
        connect()
    }

    mutating func start(_ session: String) {
        ticket += 1
        let plan = [Phase(kind: .focus, seconds: 1_500)]
        handle(.input(.start(Start(plan: plan), id: token(session), ticket: ticket)))
    }

    mutating func press(_ operation: IntentOperation, id: String) {
        ticket += 1
        handle(.input(.press(Press(operation), id: token(id), ticket: ticket)))
    }

    /// Delivers a message of another node, or of a twin of this one.
    mutating func receive(_ message: Message, from peer: NodeID? = nil) {
        let sender: NodeID =
            switch message {
            case .intent(let intent): intent.from
            case .register(let register): register.owner
            default: peer ?? core.codec.me
            }
        let outgoing = WireCodec(space: Self.space, me: sender).encode(message)
        handle(.received(NodeCore.Packet(outgoing, isRetained: false)))
    }

    /// An intent of another node for the session that is shown.
    func intent(_ id: String, _ operation: IntentOperation = .pause, from peer: String = "kitchen") -> Message {
        let session = core.view.register?.id ?? token("none")
        return .intent(
            Intent(
                id: token(id), lineage: session, session: session, phase: 0, operation: operation,
                from: node(peer),
                at: now.told, expiresAt: now.told + Limits.intentLife))
    }

    /// Delivers the confirmations that were held, the earliest first.
    mutating func confirmHeld(_ count: Int) {
        let held = unconfirmed.prefix(count)
        unconfirmed.removeFirst(held.count)
        for token in held { handle(.sent(token, confirmation)) }
    }

    mutating func finishWrites() {
        let finished = writes
        writes = []
        for write in finished { handle(.written(write)) }
    }

    mutating func pass(_ time: Milliseconds) {
        let end = boot + time
        while !isAsleep, let wake = core.nextWake, wake <= end {
            boot = max(wake, boot)
            handle(.input(.wake))
        }
        boot = end
    }
}

extension NodeCore.Packet {
    init(_ outgoing: Outgoing, isRetained: Bool) {
        self.init(topic: outgoing.topic, payload: outgoing.payload, isRetained: isRetained)
    }
}

private func node(_ name: String) -> NodeID { NodeID(name) ?? { preconditionFailure("\(name) is no id") }() }

func token<Kind>(_ text: String) -> Token<Kind> { Token(text) ?? { preconditionFailure("\(text) is no id") }() }
