// SPDX-License-Identifier: Apache-2.0

import Platform

extension MQTTClient {
    /// The delay, in milliseconds, above which a timer shows that the loop's thread was stalled.
    private static let stallLimit: Int64 = 500

    /// Publishes a message and waits for the server's acknowledgement.
    ///
    /// Cancelling the task does not withdraw the message. The wait ends by
    /// ``MQTTConfiguration/requestTimeoutMilliseconds`` at the latest.
    ///
    /// - Parameters:
    ///   - payload: The content, at most 268435455 bytes.
    ///   - topic: The topic, without wildcards.
    ///   - qos: The quality of service. With `.atMostOnce` the call returns when the kernel has accepted the bytes.
    ///   - retain: Whether the server keeps the message for later subscribers.
    /// - Throws: `.notConnected`, `.closed`, `.invalidTopic`, `.tooLarge` and `.outboxFull` before anything is sent;
    ///   `.publishRefused` with MQTT's reason; `.connectionLost` and `.timeout`, after which the message may or may not
    ///   have arrived.
    @discardableResult
    public func publish(
        _ payload: [UInt8],
        to topic: String,
        qos: QoS = .atLeastOnce,
        retain: Bool = false
    ) async throws(MQTTError) -> PublishOutcome {
        try await publish(MQTTMessage(topic: topic, payload: payload, qos: qos, retain: retain))
    }

    /// Publishes a message and waits for the server's acknowledgement; see ``publish(_:to:qos:retain:)``.
    @discardableResult
    public func publish(_ message: MQTTMessage) async throws(MQTTError) -> PublishOutcome {
        try await answer { send(message, completion: $0) }
    }

    /// Subscribes and waits for the server's answer.
    ///
    /// - Returns: One grant per subscription, in the same order.
    /// - Throws: `.notConnected`, `.closed`, `.invalidTopic`, `.tooLarge`, `.connectionLost`, `.timeout`.
    @discardableResult
    public func subscribe(_ subscriptions: [Subscription]) async throws(MQTTError) -> [Grant] {
        try await answer { subscribe(subscriptions, completion: $0) }
    }

    /// Ends subscriptions and waits for the server's answer.
    ///
    /// - Throws: The same errors as ``subscribe(_:)``.
    public func unsubscribe(_ filters: [String]) async throws(MQTTError) {
        try await answer { unsubscribe(filters, completion: $0) }
    }

    private func answer<Value: Sendable>(
        to request: (@escaping @Sendable (Result<Value, MQTTError>) -> Void) -> Void
    ) async throws(MQTTError) -> Value {
        try await withCheckedContinuation { continuation in request { continuation.resume(returning: $0) } }.get()
    }

    /// Publishes a message without suspending, for actors of the same loop (through `assumeIsolated`).
    ///
    /// It calls `completion` once, on the loop's thread, after this call has returned, with the outcome or an error as
    /// in ``publish(_:to:qos:retain:)``.
    public func send(_ message: MQTTMessage, completion: (@Sendable (Result<PublishOutcome, MQTTError>) -> Void)? = nil)
    {
        do throws(MQTTError) {
            let link = try connectedLink()
            try message.check()
            if pending.hasRoom {
                let id = try link.handle.publish(message)
                writeLast(link)
                // Safe after scheduling the write: the answer cannot be read before this call has returned.
                add(id, .publish(completion))
            } else if message.retain {
                let now = SystemClock.bootMilliseconds()
                reply(.success(.superseded), to: try pending.wait(message, completion, now: now))
                setDeadlineTimer()
            } else {
                throw .outboxFull
            }
        } catch {
            reply(.failure(error), to: completion)
        }
    }

    /// Subscribes without suspending, for actors of the same loop (through `assumeIsolated`).
    ///
    /// It calls `completion` once, on the loop's thread, after this call has returned, with one grant per subscription
    /// or an error as in ``subscribe(_:)``.
    public func subscribe(
        _ subscriptions: [Subscription],
        completion: (@Sendable (Result<[Grant], MQTTError>) -> Void)?
    ) {
        do throws(MQTTError) {
            let link = try connectedLink()
            for subscription in subscriptions { try TopicSyntax.checkFilter(subscription.filter) }
            let packets = Self.packets(subscriptions)
            let placeholder = Grant.refused(MQTTError(.subscribeRefused, "the server's answer is too short"))
            let grants = [Grant](repeating: placeholder, count: subscriptions.count)
            let group = PendingRequests.SubscribeGroup(grants, packets: packets.count, completion)
            if packets.isEmpty { reply(.success([]), to: completion) }
            for range in packets {
                let id: Int32
                do throws(MQTTError) {
                    id = try link.handle.subscribe(subscriptions[range])
                } catch {
                    group.completion = nil
                    throw error
                }
                add(id, .subscribe(group, range))
            }
            writeLast(link)
        } catch {
            reply(.failure(error), to: completion)
        }
    }

    /// Ends subscriptions without suspending, for actors of the same loop (through `assumeIsolated`).
    ///
    /// It calls `completion` once, on the loop's thread, after this call has returned.
    public func unsubscribe(_ filters: [String], completion: (@Sendable (Result<Void, MQTTError>) -> Void)?) {
        do throws(MQTTError) {
            let link = try connectedLink()
            for filter in filters { try TopicSyntax.checkFilter(filter) }
            if filters.isEmpty { return reply(.success(()), to: completion) }
            add(try link.handle.unsubscribe(filters), .unsubscribe(completion))
            writeLast(link)
        } catch {
            reply(.failure(error), to: completion)
        }
    }

    /// Calls a completion after the request has returned.
    private func reply<Value: Sendable>(
        _ result: Result<Value, MQTTError>, to completion: (@Sendable (Result<Value, MQTTError>) -> Void)?
    ) {
        if let completion { loop.execute { completion(result) } }
    }

    /// Publishes the retained messages that waited for room in the in-flight window.
    func publishWaiting(_ link: Link) {
        while let waiting = pending.takeWaiting() {
            do throws(MQTTError) {
                add(try link.handle.publish(waiting.message), .publish(waiting.completion))
            } catch {
                waiting.completion?(.failure(error))
            }
        }
    }

    func fail(_ requests: [PendingRequests.Request], _ error: MQTTError) {
        for request in requests {
            switch request {
            case .publish(let completion):
                completion?(.failure(error))
            case .subscribe(let group, _):
                group.complete(.failure(error))
            case .unsubscribe(let completion):
                completion?(.failure(error))
            }
        }
    }

    /// Fails the requests whose packet ids were reused before the server answered.
    private func failOvertaken() {
        let requests = overtaken
        overtaken = []
        fail(requests, .timeout)
    }

    /// Ends the connection if a request was not answered in time.
    ///
    /// A server may drop acknowledgements and still answer pings: mosquitto does so for a client with about
    /// `max_queued_messages` packets waiting. Each lost acknowledgement uses up one place of the server's receive
    /// maximum until the connection ends, and with none left nothing can be published.
    func deadlineTimerFired() {
        let now = SystemClock.bootMilliseconds()
        let delay = deadlineTimerAt.map { now - $0 } ?? 0
        deadlineTimerAt = nil
        // After a stall, first read the answers that have arrived meanwhile.
        guard delay <= Self.stallLimit else { return setDeadlineTimer(notBefore: now + Self.stallLimit) }
        let expired = pending.takeExpired(now: now)
        setDeadlineTimer()
        guard !expired.isEmpty else { return }
        if case .connected = phase {
            let limit = configuration.requestTimeoutMilliseconds
            ended(MQTTError(.timeout, "the server has not answered a request within \(limit) ms"))
        }
        fail(expired, .timeout)
    }

    private func connectedLink() throws(MQTTError) -> Link {
        switch phase {
        case .connected(let link): return link
        case .draining, .leaving, .closed: throw .closed
        case .idle, .waiting, .connecting, .opening: throw .notConnected
        }
    }

    private func add(_ id: Int32, _ request: PendingRequests.Request) {
        if let old = pending.add(id, request, now: SystemClock.bootMilliseconds()) {
            overtaken.append(old)
            loop.execute { [weak self] in self?.assumeIsolated { $0.failOvertaken() } }
        }
        setDeadlineTimer()
    }

    /// Arms the timer unless it is armed already; it then fires early at worst, and is armed again.
    private func setDeadlineTimer(notBefore earliest: Int64 = 0) {
        guard deadlineTimerAt == nil, let deadline = pending.nextDeadline else { return }
        let instant = max(deadline, earliest)
        deadlineTimerAt = instant
        deadlineTimer?.arm(atBootMilliseconds: instant)
    }

    /// Splits the list into runs with equal options, one SUBSCRIBE packet each.
    private static func packets(_ subscriptions: [Subscription]) -> [Range<Int>] {
        func options(_ index: Int) -> Subscription {
            var subscription = subscriptions[index]
            subscription.filter = ""
            return subscription
        }
        var packets: [Range<Int>] = []
        var start = 0
        for index in subscriptions.indices
        where index + 1 == subscriptions.count || options(index) != options(index + 1) {
            packets.append(start..<index + 1)
            start = index + 1
        }
        return packets
    }
}
