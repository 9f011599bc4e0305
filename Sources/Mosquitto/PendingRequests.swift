// SPDX-License-Identifier: Apache-2.0

typealias PublishCompletion = @Sendable (Result<PublishOutcome, MQTTError>) -> Void
typealias SubscribeCompletion = @Sendable (Result<[Grant], MQTTError>) -> Void
typealias UnsubscribeCompletion = @Sendable (Result<Void, MQTTError>) -> Void

/// The unanswered requests of one connection, and the retained messages queued behind the in-flight limit.
///
/// It is emptied with its connection, so no message is sent on a later one.
struct PendingRequests {
    /// A subscribe request, which may take several packets.
    final class SubscribeGroup {
        var grants: [Grant]
        var missingAnswers: Int
        var completion: SubscribeCompletion?

        init(_ grants: [Grant], packets: Int, _ completion: SubscribeCompletion?) {
            self.grants = grants
            missingAnswers = packets
            self.completion = completion
        }

        /// Calls the completion, once.
        func complete(_ result: Result<[Grant], MQTTError>) {
            let last = completion
            completion = nil
            last?(result)
        }
    }

    /// A request that awaits the server's answer.
    enum Request {
        case publish(PublishCompletion?)
        case subscribe(SubscribeGroup, Range<Int>)
        case unsubscribe(UnsubscribeCompletion?)
    }

    /// A message that is not yet sent.
    struct Waiting {
        let serial: UInt64
        /// When it fails, in milliseconds of the boot clock.
        let deadline: Int64
        let message: MQTTMessage
        let completion: PublishCompletion?
    }

    /// A request that was sent.
    private struct Sent {
        let serial: UInt64
        let deadline: Int64
        let request: Request
    }

    /// The in-flight limit, and also the limit of queued messages.
    let limit: Int
    /// The timeout of a request, in milliseconds.
    let timeout: Int64
    private var sent: [Int32: Sent] = [:]
    private var publishes = 0
    /// The queued messages in the order in which they are sent, one for each topic.
    private var waiting: [Waiting] = []
    private var serial: UInt64 = 0

    init(limit: Int, timeout: Int64) {
        self.limit = limit
        self.timeout = timeout
    }

    var hasRoom: Bool { publishes < limit }
    var hasPublishes: Bool { publishes > 0 || !waiting.isEmpty }
    /// The earliest deadline, in boot milliseconds.
    var nextDeadline: Int64? { (sent.values.map(\.deadline) + waiting.map(\.deadline)).min() }

    /// Adds a request that the library has queued under this packet id. Returns the unanswered one that had the same
    /// id, 65535 requests ago: no answer can be attributed to it.
    mutating func add(_ id: Int32, _ request: Request, now: Int64) -> Request? {
        serial += 1
        if case .publish = request { publishes += 1 }
        return release(sent.updateValue(Sent(serial: serial, deadline: now + timeout, request: request), forKey: id))
    }

    /// Removes and returns the request that the server has answered.
    mutating func remove(_ id: Int32) -> Request? { release(sent.removeValue(forKey: id)) }

    private mutating func release(_ removed: Sent?) -> Request? {
        if case .publish = removed?.request { publishes -= 1 }
        return removed?.request
    }

    /// Queues a retained message until there is room. Returns the completion of the message that it replaces.
    ///
    /// - Throws: `.outboxFull` if the queue is at its limit.
    mutating func wait(
        _ message: MQTTMessage,
        _ completion: PublishCompletion?,
        now: Int64
    ) throws(MQTTError) -> PublishCompletion? {
        let before = waiting.firstIndex { $0.message.topic == message.topic }
        guard before != nil || waiting.count < limit else { throw .outboxFull }
        serial += 1
        let entry = Waiting(serial: serial, deadline: now + timeout, message: message, completion: completion)
        guard let before else {
            waiting.append(entry)
            return nil
        }
        // It keeps the older one's place in the order: otherwise a topic that changes often would starve.
        defer { waiting[before] = entry }
        return waiting[before].completion
    }

    /// Removes and returns the next queued message, if there is room for it.
    mutating func takeWaiting() -> Waiting? {
        hasRoom && !waiting.isEmpty ? waiting.removeFirst() : nil
    }

    /// Removes and returns the requests past their deadline, in the order in which they were made. The library still
    /// holds them, so the caller must end the connection.
    mutating func takeExpired(now: Int64) -> [Request] {
        let expired = sent.filter { $0.value.deadline <= now }
        for id in expired.keys { _ = remove(id) }
        let requests = expired.values.map { ($0.serial, $0.request) }
        let messages = waiting.filter { $0.deadline <= now }.map { ($0.serial, Request.publish($0.completion)) }
        waiting.removeAll { $0.deadline <= now }
        return (requests + messages).sorted { $0.0 < $1.0 }.map(\.1)
    }

    mutating func takeAll() -> [Request] { takeExpired(now: .max) }
}
