// SPDX-License-Identifier: Apache-2.0

public import Mosquitto
public import Session
public import Shell
public import Wire

/// The engine of a service in one space: it owns nothing, and knows group time, the current session and who is there.
/// It lives on the loop's thread.
public final class ServiceEngine {
    /// Reads and writes the messages of the space.
    public let codec: WireCodec
    /// What it knows.
    public private(set) var state: Engine
    /// Called after each input.
    public var onFed: () -> Void = {}
    private let publish: (Outgoing) -> Void
    private var memory = WireCodec.Memory()
    private var inputs: [Input] = []
    private var isBusy = false
    private var wake: LoopTimer?
    private var armedFor: Int64?

    /// Makes an engine, which knows nothing before it is fed with `restored`.
    /// - Parameters:
    ///   - space: The space.
    ///   - settings: Who the service is.
    ///   - isAnnounced: Whether others hear of it.
    ///   - bootID: Of the kernel.
    ///   - loop: The loop that it lives on.
    ///   - publish: Carries out what it publishes.
    public init(
        space: SpaceID, settings: Settings, isAnnounced: Bool, bootID: BootID, loop: EventLoop,
        publish: @escaping (Outgoing) -> Void
    ) {
        codec = WireCodec(space: space, me: settings.node)
        self.publish = publish
        state = Engine(
            configuration: Session.Configuration(
                node: settings.node, name: settings.name, role: .service, software: Software.name, bootID: bootID,
                isAnnounced: isAnnounced))
        // The timer goes with this object, and its loop is the one that this object lives on.
        let box = Unowned(self)
        wake = loop.makeTimer { box.engine?.wakeUp() }
    }

    /// Of the engine that the loop's thread has, for that thread.
    private final class Unowned: @unchecked Sendable {
        weak var engine: ServiceEngine?
        init(_ engine: ServiceEngine) { self.engine = engine }
    }

    /// What the broker is to say of a connection when it is lost, and the service when it leaves.
    public func will(_ connection: ConnectionID) -> Mosquitto.Message {
        Mosquitto.Message(codec.will(for: state.presence(at: Clocks.now(), connection: connection, online: true)))
    }

    /// Group time at an instant of this machine's clocks, in milliseconds since 1970.
    public func groupTime(at now: Instant) -> Int64 { state.groupTime(now) }

    /// What a message says that has arrived now.
    public func decode(_ message: Mosquitto.Message, at now: Instant) -> Decoded {
        codec.decode(
            topic: message.topic, payload: message.payload, retained: message.retain, now: groupTime(at: now),
            memory: &memory)
    }

    /// Hands it an input and carries out what it asks for.
    public func feed(_ input: Input) {
        inputs.append(input)
        guard !isBusy else { return }
        isBusy = true
        var index = 0
        while index < inputs.count {
            for effect in state.handle(inputs[index], at: Clocks.now()) { perform(effect) }
            index += 1
        }
        for effect in state.refresh(at: Clocks.now()) { perform(effect) }
        inputs.removeAll(keepingCapacity: true)
        isBusy = false
        armWake()
        onFed()
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

    private func armWake() {
        let next = state.nextWake
        guard next != armedFor else { return }
        armedFor = next
        if let next { wake?.arm(atBootMilliseconds: next) } else { wake?.disarm() }
    }

    private func wakeUp() {
        armedFor = nil
        feed(.wake)
    }
}
