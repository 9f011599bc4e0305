// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Logging
import Mosquitto
import NodeRuntime
import Runtime
import ServiceLifecycle
import Session
import Settings
import Wire

/// Publishes the session on plain topics, carries out plain commands, and describes both to Home Assistant.
///
/// It has a connection of its own, whose will says that the topics are no longer kept: the node's own connection needs
/// its will for the presence. The service runs on the node's loop.
actor PlainService: Service {
    /// Commands that wait; more at once are refused.
    private static let queueLimit = 32
    /// The longest random wait after a start of Home Assistant, which many programs would else answer at once.
    private static let birthSpread: Milliseconds = .seconds(3)

    private nonisolated let loop: EventLoop
    private let node: Node
    private let access: LocalNode
    private let topics: PlainTopics
    private let settings: NodeSettings
    private let configuration: MQTTConfiguration
    private let memory: PlainMemory
    private let log: Logger
    private let link: BrokerLink
    private let discovery: [String: [UInt8]]
    private let commands: AsyncStream<PlainCommand>
    private let queue: AsyncStream<PlainCommand>.Continuation
    private var turn: PlainTurn
    private var shown: DisplaySnapshot?
    private var draft = ""
    private var allowance = CommandAllowance()
    /// The state that the topics hold; `nil` while this node does not serve.
    private var published: PlainReport?
    private var timeout: LoopTimer?
    private var nextChange: LoopTimer?
    private var birth: LoopTimer?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ node: Node, access: LocalNode, settings: NodeSettings, configuration: MQTTConfiguration, log: Logger) {
        var log = log
        log[metadataKey: "part"] = "plain"
        (loop, self.node, self.access, self.settings, self.log) = (node.loop, node, access, settings, log)
        self.configuration = configuration
        topics = PlainTopics(settings.space)
        memory = PlainMemory(in: settings.stateDirectory)
        link = BrokerLink(of: .node, on: node.loop, log: log)
        let home = HomeAssistant(
            space: settings.space, presets: settings.presets.all.map(\.name), version: Software.version)
        discovery = settings.hasHomeAssistant ? home.discovery : [:]
        (commands, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.queueLimit))
        turn = PlainTurn(settings.node)
    }

    /// Whether there is something to serve, or to remove.
    static func isNeeded(_ settings: NodeSettings) -> Bool {
        settings.hasPlainTopics || PlainMemory(in: settings.stateDirectory).space != nil
    }

    func run() async throws {
        if let space = memory.space, !settings.hasPlainTopics || space != settings.space {
            try await PlainClearing(of: space, by: settings.node, loop: loop, configuration: configuration, log: log)
                .run()
            if Task.isCancelled { return }
            memory.end()
        }
        guard settings.hasPlainTopics else { return }
        memory.begin(in: settings.space)
        timeout = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.handle(.timeUp) } }
        nextChange = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.publishChanges() } }
        birth = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.publishAll() } }
        await node.onEvent { [weak self] event in self?.assumeIsolated { $0.publish(event) } }
        let snapshots = await access.snapshots()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }
                await self.leave()
            }
            group.addTask { for await shown in snapshots { await self.show(shown) } }
            group.addTask { for await command in self.commands { await self.carryOut(command) } }
            try await link.run(
                configuration,
                makeWill: { [weak self] in self?.assumeIsolated { $0.will } },
                onEvent: { [weak self] event in self?.assumeIsolated { $0.receive(event) } })
            group.cancelAll()
        }
    }

    private var filters: [String] {
        [topics.available, topics.server, topics.question, topics.command, topics.answer]
            + [HomeAssistant.status, HomeAssistant.filter(of: settings.space)]
    }

    private var will: MQTTMessage? {
        turn.hasWill ? MQTTMessage(topic: topics.available, payload: Array("offline".utf8), retain: true) : nil
    }

    private func leave() async { await link.close { _ in turn.serves ? [will].compactMap(\.self) : [] } }

    // MARK: The connection

    private func receive(_ event: MQTTEvent) {
        switch event {
        case .message(let message): receive(message)
        case .connected, .disconnected:
            // The link notes the connection, and logs its problem once.
            _ = link.receive(event, at: 0)
            if case .connected = event {
                // A retained command is ignored, because the broker would deliver it again at each start.
                link.subscribe(filters.map { Subscription($0, retainAsPublished: $0 == topics.command) })
                handle(.connected)
            } else {
                handle(.disconnected)
            }
        }
    }

    private func receive(_ message: MQTTMessage) {
        let text = String(decoding: message.payload.prefix(64), as: UTF8.self)
        switch message.topic {
        // A retained message is of an earlier server.
        case topics.available: if text == "offline", !message.retain { handle(.gone) }
        case topics.server: if !message.retain, let node = NodeID(text) { handle(.server(node)) }
        case topics.question: if !message.retain, let node = NodeID(text) { handle(.question(node)) }
        case topics.command: if !message.retain, turn.serves { read(message.payload) }
        // The node that serves has carried out this command. If it goes, this node must not do so again.
        case topics.answer: if !turn.serves { memory.note(answer: message.payload) }
        case HomeAssistant.status:
            if text == "online", turn.serves, !discovery.isEmpty, !message.retain {
                birth?.arm(after: Milliseconds(.random(in: 0...Self.birthSpread.count)))
            }
        default:
            // A description that an earlier version or another setting has left.
            if turn.serves, !message.payload.isEmpty, discovery[message.topic] == nil {
                send(message.topic, [], retain: true)
            }
        }
    }

    private func handle(_ event: PlainTurn.Event) {
        let before = turn.state
        for step in turn.handle(event) {
            switch step {
            case .ask:
                send(topics.question, Array(settings.node.rawValue.utf8))
                timeout?.arm(after: PlainTurn.timeout)
            case .claim: send(topics.server, Array(settings.node.rawValue.utf8))
            case .publish: publishAll()
            case .reconnect: link.makeWay(for: 0)
            }
        }
        if !turn.serves { published = nil }
        guard turn.state != before else { return }
        switch turn.state {
        case .serving:
            log.info("serves the plain topics", metadata: ["space": "\(settings.space)"])
            node.assumeIsolated { $0.noteServer(ofPlainTopics: nil) }
        case .standingBy(let server):
            log.notice("stands by: \(server) serves the plain topics", metadata: ["space": "\(settings.space)"])
            node.assumeIsolated { $0.noteServer(ofPlainTopics: server) }
        case .offline, .asking, .taking: break
        }
    }

    private func send(_ topic: String, _ payload: [UInt8], retain: Bool = false) {
        link.send(Outgoing(topic: topic, payload: payload, retain: retain, qos: 1))
    }

    // MARK: Topics

    private func show(_ snapshot: DisplaySnapshot) {
        shown = snapshot
        publishChanges()
    }

    private func publishAll() {
        guard turn.serves else { return }
        for (topic, payload) in discovery.sorted(by: { $0.key < $1.key }) { send(topic, payload, retain: true) }
        published = nil
        publishChanges()
        send(topics.available, Array("online".utf8), retain: true)
    }

    private func publishChanges() {
        guard turn.serves, let shown else { return }
        let boot = node.assumeIsolated { $0.clocks().boot }
        let report = PlainReport(
            shown, at: boot, online: node.assumeIsolated { $0.onlineCount }, draft: draft,
            showsProgress: settings.showsProgress)
        for topic in PlainTopic.allCases {
            let payload = report.payload(of: topic)
            if payload != published?.payload(of: topic) { send(topics[topic], payload, retain: true) }
        }
        published = report
        let next = PlainReport.nextChange(of: shown, after: boot, showsProgress: settings.showsProgress)
        if let next { nextChange?.arm(at: next) } else { nextChange?.disarm() }
    }

    private func publish(_ event: EventReport) {
        if turn.serves, !event.late { send(topics.event, event.plain) }
    }

    // MARK: Commands

    private func read(_ payload: [UInt8]) {
        do throws(PlainCommand.ReadError) {
            let command = try PlainCommand(payload)
            if let id = command.id, !memory.isNew(id) { return answer(PlainAnswer(to: id, .duplicate)) }
            guard allowance.spend(on: command.action, at: Clocks.boot()) else {
                return answer(PlainAnswer(to: command.id, .refused, reason: CommandAllowance.reason))
            }
            if case .enqueued = queue.yield(command) {
                if let id = command.id { memory.note(id) }
                return
            }
            answer(PlainAnswer(to: command.id, .refused, reason: "busy: more than \(Self.queueLimit) commands wait"))
        } catch {
            answer(PlainAnswer(to: error.id, error.error))
        }
    }

    private func answer(_ answer: PlainAnswer) { send(topics.answer, answer.encoded) }

    private func carryOut(_ command: PlainCommand) async {
        let answer: PlainAnswer
        do throws(RequestError) {
            answer = try await reply(to: command)
        } catch {
            answer = PlainAnswer(to: command.id, error)
        }
        if let id = command.id, answer.outcome == .refused { memory.forget(id) }
        self.answer(answer)
    }

    private func reply(to command: PlainCommand) async throws(RequestError) -> PlainAnswer {
        let id = command.id
        // The owner remembers the id too, so that another server does not carry the command out again.
        let intent = id.flatMap { IntentID($0) }
        switch command.action {
        case .press(let press): return PlainAnswer(to: id, await access.ask(.press(press, id: intent)))
        case .toggle:
            let view = await node.view
            guard let moment = view.moment(at: await node.clocks().boot), moment.register.status.isLive else {
                return PlainAnswer(to: id, ReplyReport(.noSession))
            }
            let press = Press(Buttons.toggle(moment.register), session: moment.register.id)
            return PlainAnswer(to: id, await access.ask(.press(press, id: intent)))
        case .take: return PlainAnswer(to: id, await access.ask(.take))
        case .acknowledge: return PlainAnswer(to: id, await access.ask(.acknowledge))
        case .title(let title):
            if await node.view.register?.status.isLive == true {
                return PlainAnswer(to: id, await access.ask(.press(Press(.correct(title: title)), id: intent)))
            }
            draft = title
            publishChanges()
            return PlainAnswer(to: id, .applied)
        case .start(var request):
            if request.title == nil, !draft.isEmpty { request.title = draft }
            let reply = try await access.start(request)
            if reply.outcome == .applied { draft = "" }
            publishChanges()
            return PlainAnswer(to: id, reply)
        }
    }
}
