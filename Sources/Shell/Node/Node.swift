// SPDX-License-Identifier: Apache-2.0

public import Logging
public import Mosquitto
public import Session
public import Wire

/// A node at work: it feeds the engine and carries out its effects.
///
/// It lives on the thread of the connection to the broker, so a press that arrives over MQTT is decided, written down
/// and published without a change of thread. The price is that a slow disk holds up that thread; `Mosquitto` does what
/// waits for the network elsewhere.
public actor Node {
    /// How long its own displays wait, in milliseconds, where nothing comes back from what has left.
    private static let viewPatience: Int64 = 200

    /// The loop that the node and its connection live on.
    public nonisolated let loop: EventLoop
    /// Who the node is.
    public nonisolated let identity: Session.Configuration
    /// The space that it takes part in.
    public nonisolated let space: SpaceID

    /// Reads this machine's clocks.
    public nonisolated let clocks: @Sendable () -> Instant
    let codec: WireCodec
    let log: Logger
    let directory: StateDirectory?
    private let journal: JournalFile?
    /// `nil` for a passing remote, which owns nothing, and before ``start()``.
    var outbox: Outbox<OutboxFiles>?
    /// The last write of the journal whose records wait to be sent.
    var recordsSafeUpTo: Int?
    /// Why the last write of the journal failed; `nil` while it is on disk.
    var journalFailure: String?
    private var engine: Engine
    private var inputs: [Input] = []
    private var isBusy = false
    /// What displays were told last, as long as there may be news for them.
    private var told: Told?
    /// Draws the view where no acknowledgement comes; it is not taken back, so that it is set once for many presses.
    private var viewDue: LoopTimer?
    private var isViewDue = false
    private var wake: LoopTimer?
    private var armedFor: Int64?
    private var nextTicket: Ticket = 0
    private var waiting: [Ticket: Asker] = [:]
    /// Of the inputs that are being handled.
    private var replies: [(ticket: Ticket, reply: Reply)] = []
    private var observers: [Int: AsyncStream<View>.Continuation] = [:]
    private var viewHandler: (@Sendable (View) -> Void)?
    var eventWatch: EventWatch?
    var client: MQTTClient?
    /// What the node counts; the rest of ``metrics()`` is looked up.
    var counted = NodeMetrics()
    /// What the broker has not acknowledged yet.
    var delivery = Delivery()
    /// Bounds what others can make this node write to its log.
    var sessionLines = LineLimit()
    var lastEncoded: EncodedRegister?
    var memory = WireCodec.Memory()
    /// Whether the connection lets a node not hear itself (MQTT 5).
    var canBeDeaf = false
    var connection: ConnectionID?
    /// Another machine that uses this node's id.
    var twin = Twin()
    /// Runs out when a twin that may be there has not answered.
    var twinDeadline: LoopTimer?
    var lastLinkProblem: String?
    /// How far the first connection has come.
    var settling = Settling()
    /// Why logind gives no lock that delays a suspend.
    var suspendRefusal: String?
    /// Called when the broker has acknowledged that this node sleeps.
    var sleepHeard: (@Sendable () -> Void)?
    /// Runs out when the broker does not acknowledge that this node is awake.
    var wakeDeadline: LoopTimer?
    /// When the records behind the journal's last writes are sent.
    var recordRelease: LoopTimer?
    var isRecordReleaseSet = false
    /// When a ledger record is sent again.
    var recordRetry: LoopTimer?
    /// When the week's debt shows another minute.
    private var debtTick: LoopTimer?

    /// The loop's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Makes a node, which does nothing before ``start()``.
    /// - Parameters:
    ///   - identity: Who it is.
    ///   - space: The space that it takes part in.
    ///   - directory: Where it keeps its journal; `nil` for a passing remote, which has none.
    ///   - loop: The loop to live on.
    ///   - log: Where it says what happens.
    ///   - clocks: Reads its clocks: this machine's, but where several machines are played in one process.
    public init(
        identity: Session.Configuration, space: SpaceID, directory: StateDirectory?, loop: EventLoop, log: Logger,
        clocks: @escaping @Sendable () -> Instant = Clocks.now
    ) {
        self.clocks = clocks
        self.identity = identity
        self.space = space
        self.loop = loop
        self.log = log
        journal = directory.map { JournalFile(directory: $0) }
        codec = WireCodec(space: space, me: identity.node)
        self.directory = directory
        engine = Engine(configuration: identity)
    }

    /// Reads the journal: from here on sessions can be started, shown and asked for, with or without a broker.
    public func start() {
        wake = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.wakeUp() } }
        viewDue = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.viewIsDue() } }
        recordRelease = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.releaseRecords() } }
        recordRetry = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.retryRecords() } }
        debtTick = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.debtChanges() } }
        outbox = directory.map { Outbox(OutboxFiles(directory: $0, log: log)) }
        switch journal?.load(at: clocks().wall) ?? .nothing {
        case .nothing: restore(nil)
        case .journal(var found, let tornBytes):
            if tornBytes > 0 {
                log.info("a change that a crash had cut short was passed over", metadata: ["bytes": "\(tornBytes)"])
            }
            if let owner = found.own?.owner, owner != identity.node {
                // What it says stays on the broker under the old name, where others can take it over.
                log.notice("the journal's session belongs to the node's former name", metadata: ["owner": "\(owner)"])
                found.own = nil
                found.before = nil
                found.isProvisional = false
                found.isGuess = false
            }
            if let own = found.own, own.status.isLive {
                log.info("session read back from the journal", metadata: ["session": "\(own.id)"])
            }
            restore(found)
        case .damaged(let aside, let reason, let last):
            log.error(
                "the journal was damaged\(last == nil ? "" : "; its last whole record is used")",
                metadata: ["keptAs": "\(aside ?? "nothing: it cannot be renamed")", "reason": "\(reason)"])
            restore(last)
        }
    }

    private func restore(_ found: Journal?) {
        // As it was found: what the engine makes of it is not on disk yet.
        if let record = found?.record { outbox?.restored(record, at: clocks().boot) }
        feed(.restored(found))
    }

    /// Starts a session here.
    public func start(_ start: Start) async -> Reply {
        await reply { ticket in .start(start, id: ULID.make(at: groupTime), ticket: ticket) }
    }

    /// Asks something of the current session, whoever owns it.
    public func press(_ press: Press) async -> Reply {
        await reply { ticket in .press(press, id: ULID.make(at: groupTime), ticket: ticket) }
    }

    /// Moves the current session to this node, whoever owns it.
    public func take() async -> Reply {
        await reply { ticket in .take(id: ULID.make(at: groupTime), ticket: ticket) }
    }

    /// What the services have said last.
    public private(set) var feeds = Feeds()

    /// Displays draw anew when a service has said something new.
    func take(_ feed: Feed) {
        guard feeds.take(feed) else { return }
        debtChanges()
    }

    /// Displays draw the view again, because something beside it has changed.
    func redraw() {
        for observer in observers.values { observer.yield(engine.view) }
    }

    /// Draws anew, and again when the week's debt is another by time alone.
    private func debtChanges() {
        redraw()
        let now = clocks()
        let time = groupTime(at: now)
        guard let next = feeds.nextDebtChange(after: time) else { return debtTick?.disarm() ?? () }
        debtTick?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + next - time)
    }

    /// What displays draw from, now.
    public var view: View {
        drawView()
        return engine.view
    }

    /// Whether the view may still be that of an earlier session.
    var isCatchingUp: Bool { engine.isCatchingUp }

    /// The nodes that were heard of.
    public var peers: Peers { engine.peers }

    /// Group time now, in milliseconds since 1970.
    var groupTime: Int64 { groupTime(at: clocks()) }

    /// Group time at an instant of this node's clocks, in milliseconds since 1970.
    public func groupTime(at now: Instant) -> Int64 { engine.groupTime(now) }

    /// The latest register of a node, this one included, as far as it is known here.
    func register(of subject: NodeID) -> Register? { engine.register(of: subject) }

    /// Whether the group time that a node last said contradicts this node's.
    func isContradicted(by peer: NodeID) -> Bool { engine.isContradicted(by: peer) }

    /// Messages that were not used and whose topic names no node, by reason.
    public var strangers: [Discard: Int] { engine.strangers }

    /// The view, and every later one; a slow reader gets the latest. It comes again when ``feeds`` have changed.
    public func views() -> AsyncStream<View> {
        let (stream, continuation) = AsyncStream.makeStream(of: View.self, bufferingPolicy: .bufferingNewest(1))
        nextTicket += 1
        let id = nextTicket
        observers[id] = continuation
        // The stream ends on any thread, and nobody is left to wait.
        continuation.onTermination = { [weak self, loop] _ in
            loop.execute { [weak self] in self?.assumeIsolated { $0.observers[id] = nil } }
        }
        continuation.yield(engine.view)
        return stream
    }

    /// Calls `handler` with each later view on the loop's thread, before anything else is done: for a display that lives
    /// on the loop itself, which it enters with `assumeIsolated`. It must not wait, and not call the node.
    public func onView(_ handler: (@Sendable (View) -> Void)?) { viewHandler = handler }

    /// The engine has the input before anything waits: the wait itself may take the task through another thread.
    private func reply(_ input: (Ticket) -> Input) async -> Reply {
        nextTicket += 1
        let ticket = nextTicket
        waiting[ticket] = .asked
        feed(input(ticket))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if case .replied(let reply) = waiting[ticket] {
                    waiting[ticket] = nil
                    continuation.resume(returning: reply)
                } else {
                    waiting[ticket] = .waiting(continuation)
                }
            }
        } onCancel: {
            // The asking program has gone: nobody is left to wait for this.
            loop.execute { self.assumeIsolated { $0.hangUp(ticket) } }
        }
    }

    /// Somebody who asked, from the question to the answer.
    private enum Asker {
        case asked
        case replied(Reply)
        case waiting(CheckedContinuation<Reply, Never>)
    }

    /// Behind what is shown, which is what people wait for.
    private func tellAskers() {
        for (ticket, reply) in replies { answer(ticket, reply) }
        replies.removeAll(keepingCapacity: true)
    }

    private func answer(_ ticket: Ticket, _ reply: Reply) {
        counted.replies[ReplyReport.Outcome(reply).rawValue, default: 0] += 1
        switch waiting[ticket] {
        case .asked: waiting[ticket] = .replied(reply)
        case .waiting(let continuation):
            waiting[ticket] = nil
            // Behind the writing of what was published: to wake a thread takes longer than that.
            loop.executeLast { continuation.resume(returning: reply) }
        case .replied, nil: break
        }
    }

    private func hangUp(_ ticket: Ticket) {
        switch waiting[ticket] {
        case .asked, .waiting:
            feed(.hangUp(ticket))
            answer(ticket, .noSession)
        case .replied, nil: break
        }
    }

    private func wakeUp() {
        armedFor = nil
        feed(.wake)
    }

    /// Hands an input to the engine and carries out what it asks for. An input that an effect leads to comes after all
    /// effects of the one before.
    func feed(_ input: Input) {
        inputs.append(input)
        guard !isBusy else { return }
        isBusy = true
        if told == nil {
            told = Told(engine.view, changes: engine.viewChanges, isCatchingUp: engine.isCatchingUp)
        }
        let (registers, intents) = (delivery.registers, delivery.intents)
        var index = 0
        while index < inputs.count {
            for effect in engine.handle(inputs[index], at: clocks()) { perform(effect) }
            index += 1
        }
        inputs.removeAll(keepingCapacity: true)
        isBusy = false
        switch input {
        // Who pressed is elsewhere, or who decides: somebody waits for what leaves at the end of this turn.
        case .received where delivery.registers > registers, .press where delivery.intents > intents: drawViewLater()
        default: drawView()
        }
    }

    /// The broker may wait for the processor that this node is on. What comes back from it brings the node back to its own
    /// displays, or the time does.
    private func drawViewLater() {
        guard !isViewDue else { return }
        isViewDue = true
        viewDue?.arm(atBootMilliseconds: EventLoop.bootMilliseconds() + Self.viewPatience)
    }

    private func viewIsDue() {
        isViewDue = false
        drawView()
    }

    /// Brings the view up to date and tells those who look at it and those who asked.
    private func drawView() {
        guard !isBusy, let before = told.take() else { return }
        isBusy = true
        for effect in engine.refresh(at: clocks()) { perform(effect) }
        isBusy = false
        let hasChanged = engine.viewChanges != before.changes
        if hasChanged { viewHandler?(engine.view) }
        tellAskers()
        armWake()
        scheduleRecords()
        if eventWatch != nil, hasChanged || before.isCatchingUp != engine.isCatchingUp {
            let view = engine.view
            loop.executeLast { [weak self] in self?.assumeIsolated { $0.lookForEvents(at: view) } }
        }
        guard hasChanged else { return }
        let news = Outline(engine.view) == before.outline ? nil : engine.view.register
        // Behind the writing of what was published: waking readers and logging take longer than that.
        loop.executeLast { [weak self] in self?.assumeIsolated { $0.show(news, after: before.outline) } }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .journal(let contents, let number): write(contents, as: number)
        case .record(let register, let isApproximate): outbox?.hold(register, isApproximate: isApproximate)
        case .publish(let message): publish(message)
        case .barrier(let connection): raiseBarrier(connection)
        case .reply(let ticket, let reply): replies.append((ticket, reply))
        case .log(let note): say(note)
        }
    }

    private func write(_ contents: Journal, as number: Int) {
        do {
            if let journal {
                try outbox?.secure(except: contents.own?.id, write: number)
                try journal.write(contents, own: contents.own.map { encoded($0).payload })
            }
            recordsSafeUpTo = number
            journalEnded(with: nil)
            inputs.append(.journalled(number))
        } catch {
            journalEnded(with: "\(error)")
            inputs.append(.journalFailed(number))
        }
    }

    private func armWake() {
        let next = engine.nextWake
        guard next != armedFor else { return }
        armedFor = next
        guard let next else { return wake?.disarm() ?? () }
        wake?.arm(atBootMilliseconds: next - clocks().boot + EventLoop.bootMilliseconds())
    }

    private func show(_ news: Register?, after before: Outline?) {
        for observer in observers.values { observer.yield(engine.view) }
        if let news { say(news, after: before) }
    }

    func presence(connection: ConnectionID) -> Presence {
        engine.presence(at: clocks(), connection: connection, online: true)
    }
}
