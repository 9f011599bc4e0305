// SPDX-License-Identifier: Apache-2.0

package import Core
package import Logging
package import Mosquitto
package import Session
package import Setup
package import Shell
package import Wire

/// The connection and the log that the spaces of a service share. It is used on the loop's thread.
package struct ServiceOutput {
    package typealias Completion = BrokerLink.Completion

    private let send: (Outgoing, Completion?) -> Void
    /// Gives the connection up for some milliseconds.
    let yield: (Int64) -> Void
    let log: Logger

    /// - Parameters:
    ///   - send: Publishes a message.
    ///   - yield: Gives the connection up for some milliseconds.
    package init(log: Logger, yield: @escaping (Int64) -> Void, send: @escaping (Outgoing, Completion?) -> Void) {
        (self.log, self.yield, self.send) = (log, yield, send)
    }

    package func publish(_ outgoing: Outgoing, completion: Completion? = nil) { send(outgoing, completion) }
}

/// The core of a service in one space. It lives on the loop's thread.
///
/// It owns no session; it knows group time, the current session and the nodes.
package final class ServiceCore {
    /// Called after each event.
    package var onHandled: () -> Void = {}
    private var runner: CoreRunner
    private let output: ServiceOutput
    private var notes: SessionLog
    private var delivered: [Decoded] = []

    /// - Parameter isAnnounced: Whether it publishes its presence.
    package init(
        space: SpaceID, settings: Settings, isAnnounced: Bool, bootID: BootID, loop: EventLoop, output: ServiceOutput
    ) {
        self.output = output
        notes = SessionLog(log: output.log, node: settings.node)
        // A service is found on its machine, which its id does not name.
        let machine = CleanText.accepts(Settings.hostName, bytes: Limits.nameBytes) ? Settings.hostName : settings.name
        let name = settings.name == settings.node.rawValue ? machine : settings.name
        let identity = NodeIdentity(
            node: settings.node, name: name, role: .service, software: Software.name, bootID: bootID,
            isAnnounced: isAnnounced)
        runner = CoreRunner(NodeCore(identity: identity, space: space, seed: .random(in: 0 ... .max)))
        // It is called on this object's loop, and no longer when this object has ended.
        let box = Weak(self)
        runner.use(loop) { box.core?.handle(.wake) }
    }

    /// A weak reference that is used on the loop's thread only.
    private final class Weak: @unchecked Sendable {
        weak var core: ServiceCore?
        init(_ core: ServiceCore) { self.core = core }
    }

    package var state: Engine { _read { yield runner.core.engine } }

    package var codec: WireCodec { runner.core.codec }

    /// Returns the will of a connection, which is also the goodbye.
    package func will(_ connection: ConnectionID) -> MQTTMessage {
        MQTTMessage(runner.core.will(of: connection, at: Clocks.now()))
    }

    /// Returns group time at an instant of this machine's clocks, in milliseconds since 1970.
    package func groupTime(at now: Instant) -> Int64 { state.groupTime(now) }

    /// Handles a received message.
    /// - Returns: The decoded message, after the engine has handled it.
    package func receive(_ message: MQTTMessage) -> [Decoded] {
        handle(
            .received(NodeCore.Packet(topic: message.topic, payload: message.payload, isRetained: message.retain)))
        defer { delivered = [] }
        return delivered
    }

    /// Passes an event to the core and carries out its actions.
    package func handle(_ event: NodeCore.Event) {
        guard runner.add(event) else { return }
        while let actions = runner.next() { for action in actions { perform(action) } }
        onHandled()
    }

    private func perform(_ action: NodeCore.Action) {
        switch action {
        // A service owns no session, so it has no journal.
        case .persist(let write): _ = runner.add(.persisted(write.number))
        case .send(let outgoing, let token, _):
            guard let token else { return output.publish(outgoing) }
            let box = Weak(self)
            output.publish(outgoing) { result in box.core?.handle(.sent(token, NodeCore.Confirmation(result))) }
        // `ServiceLink` subscribes for all spaces.
        case .subscribe(_, let barrier): output.publish(barrier)
        case .yield(let milliseconds): output.yield(milliseconds)
        case .deliver(let decoded): delivered.append(decoded)
        case .log(let note): notes.write(note, of: state)
        case .unsubscribe, .reply, .changeRecords, .readRecords, .answered, .announced, .registersConfirmed, .settled,
            .show:
            break
        }
    }
}
