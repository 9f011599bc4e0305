// SPDX-License-Identifier: Apache-2.0

/// An MQTT client: it connects, stays connected, and carries messages both ways.
///
/// It runs on the thread of an ``EventLoop``. An actor pinned to the same loop gets events through ``onEvent(_:)`` and
/// sends with ``send(_:completion:)``, both without a change of thread, by way of `assumeIsolated`. Others use
/// ``events`` and the asynchronous calls.
///
/// Nothing is kept for a later connection. What is published or subscribed belongs to the connection of that moment;
/// the application does it again at each ``Event/connected(_:)``.
///
/// A client runs once: make a new one to connect again after it has ended.
public actor MQTTClient {
    /// The loop that the client lives on.
    public nonisolated let loop: EventLoop
    /// What the client was made with.
    public nonisolated let configuration: Configuration
    /// What happens, in order, for one consumer; silent once there is a handler (``onEvent(_:)``).
    public nonisolated let events: EventStream

    var phase = Phase.idle
    var hasRun = false
    var handler: (@Sendable (Event) -> Void)?
    var outbox: Outbox
    /// Requests that can no longer be told from later ones, about to fail.
    var overtaken: [Outbox.Request] = []
    var backoff: BackoffState
    /// The number of attempts so far.
    var attempts = 0
    /// The next attempt is the second half of one: 3.1.1 for a server that refused MQTT 5.
    var fallsBack = false
    /// Abandoned connectors that the system still holds.
    var lingering = 0
    /// The next attempt waits for one of them to end.
    var attemptIsDue = false

    var phaseTimer: LoopTimer?
    var tickTimer: LoopTimer?
    var deadlineTimer: LoopTimer?
    /// When it fires, on the boot clock; `nil` while it is not set.
    var deadlineTimerAt: Int64?

    var running: CheckedContinuation<Result<Void, MQTTError>, Never>?
    var closing: [CheckedContinuation<Void, Never>] = []

    /// The loop's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Makes a client, which does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: Where and how to connect.
    ///   - loop: The loop to live on, which must outlast the client's run.
    public init(_ configuration: Configuration, on loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
        events = EventStream(buffer: EventBuffer(limit: configuration.messageBufferLimit))
        outbox = Outbox(limit: configuration.inFlightLimit, timeout: configuration.requestTimeoutMilliseconds)
        backoff = BackoffState(configuration.backoff)
    }

    /// Runs `body` with a client that connects and stays connected meanwhile, then closes it gracefully.
    ///
    /// - Parameters:
    ///   - configuration: Where and how to connect.
    ///   - loop: The loop for the client.
    ///   - body: What needs the client. It starts before there is a connection.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw, else what ``run()`` threw.
    public static func withClient<Value>(
        _ configuration: Configuration,
        on loop: EventLoop,
        _ body: (MQTTClient) async throws -> Value
    ) async throws -> Value {
        let client = MQTTClient(configuration, on: loop)
        async let running: Void = client.run()
        do {
            let value = try await body(client)
            await client.close()
            try await running
            return value
        } catch {
            await client.close()
            try? await running
            throw error
        }
    }

    /// Connects, and connects again whenever the connection is lost, until ``close(deadlineMilliseconds:)`` or until
    /// the task is cancelled, which closes the client gracefully.
    ///
    /// - Throws: `.invalidConfiguration`; `.alreadyRunning` at a second call; and what `giveUp` chose to give up on.
    public func run() async throws(MQTTError) {
        if case .closed = phase, !hasRun { return }
        guard !hasRun else { throw MQTTError(.alreadyRunning, "a client runs once") }
        hasRun = true
        do throws(MQTTError) {
            try configuration.check()
        } catch {
            finish(.failure(error))
            throw error
        }
        makeTimers()
        let deadline = configuration.closeDeadlineMilliseconds
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                running = continuation
                phase = .waiting
                attempt()
            }
        } onCancel: {
            loop.execute { [self] in assumeIsolated { $0.beginClose(deadlineMilliseconds: deadline) } }
        }
        try result.get()
    }

    /// Ends the client gracefully: waits for the server's answers to what was published, tells the server, so that it
    /// drops the will, and lets go of the connection.
    ///
    /// - Parameter deadlineMilliseconds: How long to wait for the answers. What is then unanswered fails with
    ///   `.closed`; the server is told all the same, if the connection takes it.
    public func close(deadlineMilliseconds: Int64 = 2000) async {
        beginClose(deadlineMilliseconds: deadlineMilliseconds)
        if case .closed = phase { return }
        await withCheckedContinuation { closing.append($0) }
    }

    /// Calls `handler` with each event, on the loop's thread, in place of ``events``. Set it before ``run()``.
    ///
    /// An actor of the same loop is entered from it with `assumeIsolated`. It may call the client's synchronous
    /// requests. It is never called from inside one of them. A received message of QoS 1 is acknowledged after it has
    /// returned.
    public func onEvent(_ handler: @escaping @Sendable (Event) -> Void) {
        self.handler = handler
    }

    /// Cuts a wait between attempts short, as after the network came back or the machine woke up.
    public func reconnectNow() {
        guard case .waiting = phase else { return }
        phaseTimer?.arm(atBootMilliseconds: EventLoop.bootMilliseconds())
    }

    /// Gives the connection up as lost and makes another at once: for a caller who knows more of it than its silence
    /// tells. A wait between attempts is cut short.
    public func renewConnection() {
        if case .connected = phase { ended(MQTTError(.connectionLost, "the connection is given up and made anew")) }
        reconnectNow()
    }

    /// Ends the connection without the will being said, and makes another after a wait: for a caller that leaves the
    /// server to another client for a while. Does nothing while there is no connection.
    public func rest(milliseconds: Int64) {
        guard case .connected(let link) = phase else { return }
        link.handle.disconnect()
        _ = link.handle.write()
        ended(MQTTError(.closed, "the connection is given up for \(milliseconds) ms"), wait: milliseconds)
    }

    /// The connection, while there is one.
    public var connection: Connection? {
        guard case .connected(let link) = phase else { return nil }
        return link.connection
    }

    func deliver(_ event: Event) {
        if let handler { handler(event) } else { events.buffer.append(event) }
    }

    private func makeTimers() {
        phaseTimer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.phaseTimerFired() } }
        tickTimer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.tick() } }
        deadlineTimer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.deadlineTimerFired() } }
    }
}
