// SPDX-License-Identifier: Apache-2.0

import Platform

/// An MQTT client that connects, reconnects, publishes and subscribes.
///
/// It runs on the thread of an ``EventLoop``. An actor pinned to the same loop gets events through ``onEvent(_:)`` and
/// publishes with ``send(_:completion:)``, both without a thread switch, through `assumeIsolated`. Other code uses
/// ``onEvent(_:)`` with a stream of its own, and the asynchronous calls.
///
/// Nothing is carried over to a later connection: subscribe, and publish state, again at ``MQTTEvent/connected(_:)``.
///
/// A client runs once. Create a new one to connect again after it has ended.
public actor MQTTClient {
    /// The loop that the client runs on.
    public nonisolated let loop: EventLoop
    /// The settings, which do not change.
    public nonisolated let configuration: MQTTConfiguration

    var phase = Phase.idle
    var hasStarted = false
    var handler: (@Sendable (MQTTEvent) -> Void)?
    var pending: PendingRequests
    /// The requests whose packet ids were reused, about to fail.
    var overtaken: [PendingRequests.Request] = []
    var backoff: BackoffState
    var attempts = 0
    /// The index of the endpoint of the current or next attempt.
    var endpointIndex = 0
    /// The failures at the endpoints that were tried since the last wait.
    var failures: [MQTTError] = []
    /// Whether the next attempt uses 3.1.1 because the server refused MQTT 5.
    var fallsBack = false
    /// The number of abandoned connectors that are still blocked in the kernel.
    var lingering = 0
    /// Whether an attempt is due and waits for a lingering connector to end.
    var isAttemptDue = false

    var phaseTimer: LoopTimer?
    var tickTimer: LoopTimer?
    var deadlineTimer: LoopTimer?
    /// When ``deadlineTimer`` fires, in boot milliseconds; `nil` while it is not armed.
    var deadlineTimerAt: Int64?

    var running: CheckedContinuation<Result<Void, MQTTError>, Never>?
    var closing: [CheckedContinuation<Void, Never>] = []

    /// The loop's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates a client, which is idle until ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: The settings; ``run()`` validates them.
    ///   - loop: The loop to run on. It must not be shut down before ``run()`` has returned.
    public init(_ configuration: MQTTConfiguration, on loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
        pending = PendingRequests(limit: configuration.inFlightLimit, timeout: configuration.requestTimeoutMilliseconds)
        backoff = BackoffState(configuration.backoff)
    }

    /// Runs the client while `body` runs, then closes it gracefully.
    ///
    /// - Parameter body: The code that needs the client. It starts before the client is connected, and it is not told
    ///   when ``run()`` ends by itself: its requests then fail with `.closed`.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, else that of ``run()``.
    public nonisolated func run<Value>(while body: () async throws -> Value) async throws -> Value {
        async let running: Void = run()
        do {
            let value = try await body()
            await close()
            try await running
            return value
        } catch {
            await close()
            try? await running
            throw error
        }
    }

    /// Connects and reconnects until the client is closed or the task is cancelled.
    ///
    /// Cancellation closes the client gracefully, as ``close(deadlineMilliseconds:)`` does.
    ///
    /// - Throws: `.invalidConfiguration`; `.alreadyRunning` at a second call; an error for which
    ///   ``MQTTConfiguration/giveUp`` returned `true`.
    public func run() async throws(MQTTError) {
        if case .closed = phase, !hasStarted { return }
        guard !hasStarted else { throw MQTTError(.alreadyRunning, "a client runs once") }
        hasStarted = true
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

    /// Closes the client: waits for acknowledgements, sends a DISCONNECT, and closes the connection.
    ///
    /// The DISCONNECT makes the server discard the will.
    ///
    /// - Parameter deadlineMilliseconds: How long to wait for acknowledgements; `nil` for
    ///   ``MQTTConfiguration/closeDeadlineMilliseconds``. Requests that are unanswered then fail with `.closed`. The
    ///   DISCONNECT is sent in any case, if the socket accepts it.
    public func close(deadlineMilliseconds: Int64? = nil) async {
        beginClose(deadlineMilliseconds: deadlineMilliseconds ?? configuration.closeDeadlineMilliseconds)
        if case .closed = phase { return }
        await withCheckedContinuation { closing.append($0) }
    }

    /// Sets a handler that gets each event on the loop's thread, in order.
    ///
    /// Set it before ``run()``, which is checked: a later handler would miss the event of a connection that is there.
    ///
    /// The handler may enter an actor of the same loop with `assumeIsolated` and call the client's synchronous
    /// requests, which never call the handler. A received message of QoS 1 is acknowledged after the handler's return.
    public func onEvent(_ handler: @escaping @Sendable (MQTTEvent) -> Void) {
        precondition(!hasStarted, "the handler of a client is set before it runs")
        self.handler = handler
    }

    /// Ends the back-off and attempts to connect at once. Call it when the network is back or the machine woke up.
    public func reconnectNow() {
        guard case .waiting = phase else { return }
        phaseTimer?.arm(atBootMilliseconds: SystemClock.bootMilliseconds())
    }

    /// Drops the connection and reconnects at once, also during back-off.
    ///
    /// Call it when the connection is known to be dead before a timeout shows it.
    public func renewConnection() {
        if case .connected = phase { ended(MQTTError(.connectionLost, "dropped the connection to reconnect")) }
        reconnectNow()
    }

    /// Disconnects without triggering the will, and reconnects after a wait.
    ///
    /// It lets another client use the server for a while. It does nothing while the client is not connected.
    ///
    /// - Parameter milliseconds: The wait until the next attempt.
    public func pause(milliseconds: Int64) {
        guard case .connected(let link) = phase else { return }
        link.handle.disconnect()
        _ = link.handle.write()
        ended(MQTTError(.closed, "the client disconnected for \(milliseconds) ms"), wait: milliseconds)
    }

    /// The current connection; `nil` while the client is not connected or is closing.
    public var connection: Connection? {
        guard case .connected(let link) = phase else { return nil }
        return link.connection
    }

    func deliver(_ event: MQTTEvent) { handler?(event) }

    private func makeTimers() {
        phaseTimer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.phaseTimerFired() } }
        tickTimer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.tick() } }
        deadlineTimer = loop.makeTimer { [weak self] in self?.assumeIsolated { $0.deadlineTimerFired() } }
    }
}
