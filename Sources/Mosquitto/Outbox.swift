// SPDX-License-Identifier: Apache-2.0

typealias PublishCompletion = @Sendable (Result<PublishOutcome, MQTTError>) -> Void
typealias SubscribeCompletion = @Sendable (Result<[Grant], MQTTError>) -> Void
typealias UnsubscribeCompletion = @Sendable (Result<Void, MQTTError>) -> Void

/// The requests of one connection that wait for the server's answer, and the retained messages that wait for a place
/// among them. It never outlives its connection, so nothing in it can be sent on a later one.
struct Outbox {
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
        let message: Message
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

    let limit: Int
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
    /// When the first deadline passes, if there is one.
    var nextDeadline: Int64? { deadlines.first?.at }

    /// Notes a request that the library has queued under this id.
    ///
    /// - Returns: One that had the same id, from 65535 requests ago, and cannot be told from it any more.
    mutating func add(_ id: Int32, _ request: Request, now: Int64) -> Request? {
        serial += 1
        if case .publish = request { publishes += 1 }
        let old = sent.updateValue(Sent(serial: serial, request: request), forKey: id)
        deadlines.append(Deadline(at: now + timeout, serial: serial, id: id, topic: nil))
        return count(old?.request)
    }

    /// Takes out the request that the server has answered.
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

    /// Keeps a retained message until there is room, in place of an earlier one for its topic.
    ///
    /// - Returns: The completion of that earlier one.
    mutating func wait(
        _ message: Message,
        _ completion: PublishCompletion?,
        now: Int64
    ) throws(MQTTError) -> PublishCompletion? {
        guard waiting[message.topic] != nil || waiting.count < limit else { throw .outboxFull }
        serial += 1
        let entry = Waiting(serial: serial, message: message, completion: completion)
        let old = waiting.updateValue(entry, forKey: message.topic)
        // The newer one takes the place of the older in the order too: otherwise a topic that changes often would
        // never get its turn.
        if old == nil { waitingOrder.append(message.topic) }
        deadlines.append(Deadline(at: now + timeout, serial: serial, id: nil, topic: message.topic))
        return old?.completion
    }

    /// The next waiting message, if there is room for it.
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

    /// Takes out what has passed its deadline. The library still holds it: the connection is of no use any more.
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

    /// Everything, in the order in which it was asked for.
    mutating func takeAll() -> [Request] {
        let requests = sent.values.map { ($0.serial, $0.request) }
        let messages = waiting.values.map { ($0.serial, Request.publish($0.completion)) }
        self = Outbox(limit: limit, timeout: timeout)
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
