// SPDX-License-Identifier: Apache-2.0

package import Core
package import Logging
package import Mosquitto
package import Session
package import Wire

/// The broker connection of a program: its id, will and problems, each logged once. It is used on its loop's thread.
package final class BrokerLink {
    /// The kind of a program, as its log names it.
    package enum Program: Sendable { case node, service, microphone }

    package typealias Completion = @Sendable (Result<PublishOutcome, MQTTError>) -> Void

    /// The time to flush when the connection is closed.
    private static let closeDeadline: Milliseconds = 500

    package let problems: ProblemLog
    /// Why the latest attempt or connection failed; `nil` while connected.
    package private(set) var failure: MQTTError?
    package private(set) var client: MQTTClient?
    /// The id of the connection or of the present attempt; `nil` after a connection was lost.
    package private(set) var connection: ConnectionID?
    private let program: Program
    private let loop: EventLoop
    private let log: Logger
    /// The last connection; `nil` before the first one.
    private var lastConnection: Connection?
    /// The time in the id of the latest attempt.
    private var lastTime: GroupTime = 0
    /// Whether the connection is closed for a while because another process uses the same id.
    private var isMakingWay = false

    package init(of program: Program, on loop: EventLoop, log: Logger) {
        self.program = program
        self.loop = loop
        self.log = log
        problems = ProblemLog(log)
    }

    /// Connects and reconnects until the task is cancelled or ``close(goodbye:)`` is called.
    /// On the loop's thread, `makeWill` returns the will of ``nextConnection(at:)``, and `onEvent` passes an event to
    /// ``receive(_:at:)``.
    /// - Throws: `MQTTError` only for an invalid configuration. An absent or refusing broker is logged and tried again.
    package func run(
        _ configuration: MQTTConfiguration, makeWill: (@Sendable () -> MQTTMessage?)? = nil,
        onEvent: @escaping @Sendable (MQTTEvent) -> Void
    ) async throws(MQTTError) {
        var configuration = configuration
        if let makeWill { configuration.makeWill = { _ in makeWill() } }
        configuration.closeDeadlineMilliseconds = Self.closeDeadline.count
        let client = MQTTClient(configuration, on: loop)
        self.client = client
        await client.onEvent(onEvent)
        try await client.run()
    }

    /// Returns an id for the next attempt. It sorts after earlier ones, even if the clock was set back.
    package func nextConnection(at time: GroupTime) -> ConnectionID {
        lastTime = max(time, lastTime + 1)
        let id: ConnectionID = ULID.make(at: lastTime)
        connection = id
        return id
    }

    /// Receives an event of the client, and returns it as a core's event.
    package func receive(_ event: MQTTEvent, at time: @autoclosure () -> GroupTime) -> NodeCore.Event {
        switch event {
        case .connected(let made):
            problems.clear()
            failure = nil
            lastConnection = made
            isMakingWay = false
            return .connected(connection ?? nextConnection(at: time()), hearsItself: made.version != .v5)
        case .message(let message):
            return .received(
                NodeCore.Packet(topic: message.topic, payload: message.payload, isRetained: message.retain))
        case .disconnected(let error, let retry):
            connection = nil
            if !isMakingWay {
                failure = error
                // Revoking a member causes this.
                let isRefused = error.code == .badCredentials
                let refusal = isRefused ? "the broker refuses the user or the password of this program: " : ""
                problems.report("no connection to the broker: \(refusal)\(error.description)")
            }
            isMakingWay = false
            return .disconnected(willRetry: retry != nil)
        }
    }

    /// Publishes a message, and reports a refusal of the broker: the program goes on, but no other screen shows it.
    package func send(_ outgoing: Outgoing, completion: Completion? = nil) {
        guard let client else {
            completion?(.failure(MQTTError(.notConnected, "the \(program) has not connected yet")))
            return
        }
        client.assumeIsolated { [problems, program] client in
            client.send(MQTTMessage(outgoing)) { result in
                if case .failure(let error) = result, error.code == .publishRefused || error.code == .tooLarge {
                    problems.report(
                        "the broker does not let this \(program) publish: \(error.description)",
                        ["topic": "\(outgoing.topic)", "bytes": "\(outgoing.payload.count)"])
                }
                completion?(result)
            }
        }
    }

    /// Subscribes, and logs the connection when the broker has answered: earlier messages do not arrive.
    package func subscribe(_ subscriptions: [Subscription]) {
        let version = lastConnection.map { "\($0.version)" } ?? ""
        client?.assumeIsolated { [log, problems, program] client in
            client.subscribe(subscriptions) { result in
                guard case .success(let grants) = result else { return }
                log.info("connected to the broker", metadata: ["protocol": "\(version)"])
                for (subscription, grant) in zip(subscriptions, grants) {
                    guard case .refused(let error) = grant else { continue }
                    problems.report(
                        "the broker does not let this \(program) subscribe: \(error.description)",
                        ["topic": "\(subscription.filter)"])
                    break
                }
            }
        }
    }

    package func unsubscribe(_ filters: [String]) {
        client?.assumeIsolated { $0.unsubscribe(filters, completion: nil) }
    }

    /// Closes the connection for a while, after the client has delivered what it has read.
    package func makeWay(for time: Milliseconds) {
        isMakingWay = true
        loop.execute { [client] in client?.assumeIsolated { $0.pause(milliseconds: time.count) } }
    }

    /// Publishes the goodbye, and closes the connection.
    package func close(goodbye: (ConnectionID) -> [MQTTMessage] = { _ in [] }) async {
        guard let client else { return }
        let messages = connection.map(goodbye) ?? []
        connection = nil
        for message in messages { await client.send(message) }
        await client.close(deadlineMilliseconds: Self.closeDeadline.count)
    }
}
