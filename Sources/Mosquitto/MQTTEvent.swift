// SPDX-License-Identifier: Apache-2.0

/// A version of MQTT.
public enum MQTTVersion: Sendable, Hashable {
    /// MQTT 3.1.1
    case v311
    /// MQTT 5
    case v5
}

/// A connection that the server has accepted.
public struct Connection: Sendable, Hashable {
    /// The number of the attempt, from 1 up, as passed to ``MQTTConfiguration/makeWill``.
    public let number: Int
    /// The version that the server accepted.
    public let version: MQTTVersion

    /// Creates a connection's description, for tests of event handlers.
    public init(number: Int, version: MQTTVersion) {
        self.number = number
        self.version = version
    }
}

/// An event of a client; events are delivered in the order in which they happened.
public enum MQTTEvent: Sendable, Hashable {
    /// The client has connected. Nothing is subscribed: subscribe and publish retained state now.
    case connected(Connection)
    /// A message was received.
    case message(MQTTMessage)
    /// A connection or attempt has failed. The next follows after this time; `nil` if `giveUp` ended the client.
    case disconnected(MQTTError, retryInMilliseconds: Int64?)
}
