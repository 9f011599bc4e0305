// SPDX-License-Identifier: Apache-2.0

/// An error of a client, a connection or a request.
public struct MQTTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds, so a `switch` needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code's constant, for logs.
        public let description: String

        private init(_ name: String) { description = name }

        /// A setting is out of range, such as a port, a keep alive or a text.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// MQTT does not allow the topic or filter where it was used.
        public static let invalidTopic = Code("invalidTopic")
        /// The message is larger than MQTT or the server allows.
        public static let tooLarge = Code("tooLarge")
        /// The client is not connected. Nothing was sent and nothing will be.
        public static let notConnected = Code("notConnected")
        /// The client is closed or closing.
        public static let closed = Code("closed")
        /// `run()` was called a second time.
        public static let alreadyRunning = Code("alreadyRunning")
        /// The server's name could not be resolved. `reason` is the code of `getaddrinfo`.
        public static let unknownHost = Code("unknownHost")
        /// TCP could not connect: refused, no route, no answer. `reason` is the system's error number.
        public static let unreachable = Code("unreachable")
        /// The TLS handshake failed, or a certificate or key file cannot be used.
        public static let tls = Code("tls")
        /// The server refused user, password or authorization. `reason` is that of the CONNACK.
        public static let badCredentials = Code("badCredentials")
        /// The server refused the connection for another reason. `reason` is that of the CONNACK.
        public static let connectionRefused = Code("connectionRefused")
        /// The server supports none of the allowed versions of MQTT.
        public static let unsupportedProtocol = Code("unsupportedProtocol")
        /// The server ended the connection with a DISCONNECT (MQTT 5 only). `reason` is that of the DISCONNECT.
        public static let serverDisconnected = Code("serverDisconnected")
        /// The connection ended without a reason from the server.
        public static let connectionLost = Code("connectionLost")
        /// The server did not answer a ping, or the client was suspended for longer than the server waits.
        public static let keepAliveTimeout = Code("keepAliveTimeout")
        /// The timeout passed without an answer. The server may still have carried out the request.
        public static let timeout = Code("timeout")
        /// The server refused a message. `reason` is that of the PUBACK (MQTT 5 only).
        public static let publishRefused = Code("publishRefused")
        /// The server refused a subscription. `reason` is that of the SUBACK.
        public static let subscribeRefused = Code("subscribeRefused")
        /// ``MQTTConfiguration/inFlightLimit`` messages wait for the server's answer; send again after one has come.
        public static let outboxFull = Code("outboxFull")
        /// The server violated the protocol.
        public static let protocolViolation = Code("protocolViolation")
        /// The system has no memory, thread or descriptor left. `reason` is its error number.
        public static let system = Code("system")
    }

    /// The kind of error.
    public let code: Code
    /// The numeric reason, or 0.
    ///
    /// Depending on ``code``, it is an MQTT 5 reason (128...255), a CONNACK return code of 3.1.1 (1...5), a system
    /// error number, or a code of `getaddrinfo` or libmosquitto.
    public let reason: Int
    /// The error as text for people.
    public let description: String

    /// Creates an error; see the properties.
    public init(_ code: Code, reason: Int = 0, _ description: String) {
        self.code = code
        self.reason = reason
        self.description = description
    }
}
