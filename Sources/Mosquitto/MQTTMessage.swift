// SPDX-License-Identifier: Apache-2.0

/// The quality of service with which a message is delivered.
public enum QoS: Int32, Sendable, Hashable {
    /// Sent once, without acknowledgement. It is lost if the connection is.
    case atMostOnce = 0
    /// Acknowledged. It may arrive twice, so receivers must tolerate duplicates.
    case atLeastOnce = 1
}

/// A message, received or to be sent.
public struct MQTTMessage: Sendable, Hashable {
    /// The topic, 1...65535 bytes of UTF-8, without `+` and `#`.
    public var topic: String
    /// The content, at most 268435455 bytes. An empty retained message deletes the topic's retained message.
    public var payload: [UInt8]
    /// The quality of service; for a received message the weaker of the publisher's and the subscriber's.
    public var qos: QoS
    /// Whether the server keeps the message for later subscribers; for a received message, whether it was kept.
    public var retain: Bool

    /// Creates a message; it is validated when it is sent.
    public init(topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, retain: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
    }
}

/// The outcome of a publish that did not fail.
public enum PublishOutcome: Sendable, Hashable {
    /// The server acknowledged the message; with QoS 0, the kernel accepted it.
    case delivered
    /// The server acknowledged the message and has no subscriber for it. MQTT 5 only; not a failure if it is retained.
    case noSubscribers
    /// The message was not sent: a newer retained message for its topic replaced it in the queue.
    case superseded
}

/// A topic filter to subscribe to, with its options.
public struct Subscription: Sendable, Hashable {
    /// The topic filter, 1...65535 bytes of UTF-8; `+` matches one level, `#` at the end all further levels.
    public var filter: String
    /// The highest quality of service at which to receive messages.
    public var qos: QoS
    /// Whether the server leaves out this client's own messages. No effect before MQTT 5.
    public var noLocal: Bool
    /// Whether the server keeps the retain flag as the publisher set it. No effect before MQTT 5.
    public var retainAsPublished: Bool

    /// Creates a subscription; see the properties.
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
    /// Granted with this QoS, which may be lower than requested.
    case granted(QoS)
    /// Refused, with code `.subscribeRefused`.
    case refused(MQTTError)
}
