// SPDX-License-Identifier: Apache-2.0

/// How hard a message is tried.
public enum QoS: Int32, Sendable, Hashable, Comparable {
    /// Sent once, lost with the connection.
    case atMostOnce = 0
    /// Sent until acknowledged: may arrive twice, so its content must bear that.
    case atLeastOnce = 1
    /// Sent with two round trips, so that it arrives once.
    case exactlyOnce = 2

    /// The weaker first.
    public static func < (one: QoS, other: QoS) -> Bool { one.rawValue < other.rawValue }
}

/// A message, received or to be sent.
public struct Message: Sendable, Hashable {
    /// The topic, 1...65535 bytes of UTF-8, without `+` and `#`.
    public var topic: String
    /// The content. An empty one, retained, deletes what is retained.
    public var payload: [UInt8]
    /// How hard it is tried; of a received message, the weaker of publisher's and subscriber's.
    public var qos: QoS
    /// To send: whether the server keeps it for later subscribers. Received: whether it is such a kept one.
    public var retain: Bool

    /// Makes a message.
    ///
    /// - Parameters:
    ///   - topic: The topic, without wildcards.
    ///   - payload: The content.
    ///   - qos: How hard it is tried.
    ///   - retain: Whether the server keeps it.
    public init(topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
    }
}

/// What became of a message that was sent.
public enum PublishOutcome: Sendable, Hashable {
    /// The server has it. Under QoS 0: the system took it.
    case delivered
    /// The server has it, and nobody is subscribed. MQTT 5 only, and no failure for a retained message.
    case noSubscribers
    /// It was not sent: a later retained message for the same topic took its place in the outbox.
    case superseded
}

/// What to subscribe to.
public struct Subscription: Sendable, Hashable {
    /// The topic filter; `+` stands for one level, `#` at the end for all further ones.
    public var filter: String
    /// The strongest delivery wanted.
    public var qos: QoS
    /// Leave out what this client sent itself. MQTT 5 only, no effect before.
    public var noLocal: Bool
    /// Keep the retain flag as the publisher set it. MQTT 5 only, no effect before.
    public var retainAsPublished: Bool

    /// Makes a subscription.
    ///
    /// - Parameters:
    ///   - filter: The topic filter.
    ///   - qos: The strongest delivery wanted.
    ///   - noLocal: Leave out what this client sent itself (MQTT 5).
    ///   - retainAsPublished: Keep the retain flag as the publisher set it (MQTT 5).
    public init(
        _ filter: String,
        qos: QoS = .atLeastOnce,
        noLocal: Bool = false,
        retainAsPublished: Bool = false
    ) {
        self.filter = filter
        self.qos = qos
        self.noLocal = noLocal
        self.retainAsPublished = retainAsPublished
    }
}

/// The server's answer to one subscription.
public enum Grant: Sendable, Hashable {
    /// Granted with this QoS, which may be weaker than asked for.
    case granted(QoS)
    /// Refused, with code `.subscribeRefused`.
    case refused(MQTTError)
}
