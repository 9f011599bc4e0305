// SPDX-License-Identifier: Apache-2.0

/// A version of MQTT.
public enum ProtocolVersion: Sendable, Hashable {
    /// MQTT 3.1.1
    case v311
    /// MQTT 5
    case v5
}

/// A connection that the server has accepted.
public struct Connection: Sendable, Hashable {
    /// The number of the attempt, from 1 up: the one that ``Configuration/makeWill`` was given.
    public let number: Int
    /// The version that the server agreed to.
    public let version: ProtocolVersion
    /// Whether the server still had a session. Subscribe in any case.
    public let sessionPresent: Bool

    /// Makes a description of a connection, as for a test of what handles events.
    ///
    /// - Parameters:
    ///   - number: The number of the attempt.
    ///   - version: The version that the server agreed to.
    ///   - sessionPresent: Whether the server still had a session.
    public init(number: Int, version: ProtocolVersion, sessionPresent: Bool) {
        self.number = number
        self.version = version
        self.sessionPresent = sessionPresent
    }
}

/// What a client tells of itself, in the order in which it happened.
public enum Event: Sendable, Hashable {
    /// Connected. Nothing is subscribed: the place to subscribe and to publish state again.
    case connected(Connection)
    /// A message came.
    case message(Message)
    /// The connection, or the attempt at one, has failed; the next attempt follows after so many milliseconds, unless
    /// `giveUp` chose to end the client (then `nil`).
    case disconnected(MQTTError, retryInMilliseconds: Int64?)
    /// So many messages were dropped at this place, because nobody took them from the stream.
    case overflow(dropped: Int)
}
