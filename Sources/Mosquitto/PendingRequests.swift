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
        var missing: Int
        var completion: SubscribeCompletion?

        init(_ grants: [Grant], packets: Int, _ completion: SubscribeCompletion?) {
            self.grants = grants
            missing = packets
            self.completion = completion
        }
    }

    enum Request {
        case publish(PublishCompletion?)
        case subscribe(SubscribeGroup, Range<Int>)
        case unsubscribe(UnsubscribeCompletion?)
    }

    struct Waiting {
        let serial: UInt64
        let message: MQTTMessage
        let completion: PublishCompletion?
    }

    private struct Deadline {
        let at: Int64
        let serial: UInt64
        let id: Int32?
        let topic: String?
    }

    private struct Sent {
        let serial: UInt64
        var request: Request
    }

    /// The in-flight limit, and also the limit of queued messages.
    let limit: Int
    /// The timeout of a request, in milliseconds.
    let timeout: Int64
    private var sent: [Int32: Sent] = [:]
    private var publishes = 0
    private var waiting: [String: Waiting] = [:]
    private var waitingOrder = Fifo<String>()
    private var deadlines = Fifo<Deadline>()
    private var serial: UInt64 = 0

    init(limit: Int, timeout: Int64) {
        self.limit = limit
        self.timeout = timeout
    }

    var hasRoom: Bool { publishes < limit }
    var hasPublishes: Bool { publishes > 0 || !waiting.isEmpty }
    /// The earliest deadline, in boot milliseconds.
    var nextDeadline: Int64? { deadlines.first?.at }

    /// Adds a request that the library has queued under this packet id.
    ///
    /// - Returns: The unanswered request that had the same id, 65535 requests ago: answers can no longer be attributed
    ///   to it.
    mutating func add(_ id: Int32, _ request: Request, now: Int64) -> Request? {
        serial += 1
        if case .publish = request { publishes += 1 }
        let old = sent.updateValue(Sent(serial: serial, request: request), forKey: id)
        deadlines.append(Deadline(at: now + timeout, serial: serial, id: id, topic: nil))
        return count(old?.request)
    }

    /// Removes and returns the request that the server has answered.
    mutating func remove(_ id: Int32) -> Request? {
        let request = count(sent.removeValue(forKey: id)?.request)
        dropSettledDeadlines()
        return request
    }

    private mutating func count(_ removed: Request?) -> Request? {
        switch removed {
        case .publish: publishes -= 1
        default: break
        }
        return removed
    }

    /// Queues a retained message until there is room. It replaces a queued message for the same topic.
    ///
    /// - Returns: The completion of the replaced message.
    /// - Throws: `.outboxFull` if the queue is at its limit.
    mutating func wait(
        _ message: MQTTMessage,
        _ completion: PublishCompletion?,
        now: Int64
    ) throws(MQTTError) -> PublishCompletion? {
        guard waiting[message.topic] != nil || waiting.count < limit else { throw .outboxFull }
        serial += 1
        let entry = Waiting(serial: serial, message: message, completion: completion)
        let old = waiting.updateValue(entry, forKey: message.topic)
        // The newer message keeps the older one's place in the order: otherwise a topic that changes often would starve.
        if old == nil { waitingOrder.append(message.topic) }
        deadlines.append(Deadline(at: now + timeout, serial: serial, id: nil, topic: message.topic))
        return old?.completion
    }

    /// Removes and returns the next queued message, if there is room for it.
    mutating func takeWaiting() -> Waiting? {
        guard hasRoom else { return nil }
        while let topic = waitingOrder.popFirst() {
            if let entry = waiting.removeValue(forKey: topic) {
                dropSettledDeadlines()
                return entry
            }
        }
        return nil
    }

    /// Removes and returns the requests past their deadline. The library still holds them, so the caller must end the
    /// connection.
    mutating func takeExpired(now: Int64) -> [Request] {
        var expired: [Request] = []
        while let deadline = deadlines.first, deadline.at <= now {
            _ = deadlines.popFirst()
            if let id = deadline.id, let entry = sent[id], entry.serial == deadline.serial {
                sent[id] = nil
                expired.append(entry.request)
                _ = count(entry.request)
            } else if let topic = deadline.topic, let entry = waiting[topic], entry.serial == deadline.serial {
                waiting[topic] = nil
                expired.append(.publish(entry.completion))
            }
        }
        dropSettledDeadlines()
        if waiting.isEmpty { waitingOrder = Fifo() }
        return expired
    }

    /// Removes and returns all requests, in the order in which they were made.
    mutating func takeAll() -> [Request] {
        let requests = sent.values.map { ($0.serial, $0.request) }
        let messages = waiting.values.map { ($0.serial, Request.publish($0.completion)) }
        self = PendingRequests(limit: limit, timeout: timeout)
        return (requests + messages).sorted { $0.0 < $1.0 }.map(\.1)
    }

    private mutating func dropSettledDeadlines() {
        while let deadline = deadlines.first {
            if let id = deadline.id, sent[id]?.serial == deadline.serial { return }
            if let topic = deadline.topic, waiting[topic]?.serial == deadline.serial { return }
            _ = deadlines.popFirst()
        }
    }
}
