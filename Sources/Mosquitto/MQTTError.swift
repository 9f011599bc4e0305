// SPDX-License-Identifier: Apache-2.0

/// What went wrong with a client, a connection or a request.
public struct MQTTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. More kinds may come: a `switch` over it needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name in this file, for logs.
        public let description: String

        private init(_ name: String) { description = name }

        /// The configuration cannot work: a port, a keep alive, a text out of range.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// A topic or filter that MQTT does not allow where it was used.
        public static let invalidTopic = Code("invalidTopic")
        /// The message is larger than MQTT or the server allows.
        public static let tooLarge = Code("tooLarge")
        /// There is no connection. Nothing was sent and nothing will be.
        public static let notConnected = Code("notConnected")
        /// The client was closed, or is about to.
        public static let closed = Code("closed")
        /// `run()` was called a second time.
        public static let alreadyRunning = Code("alreadyRunning")
        /// The server's name could not be resolved. `reason` is getaddrinfo's.
        public static let unknownHost = Code("unknownHost")
        /// No TCP connection: refused, no route, no answer. `reason` is the system's error number.
        public static let unreachable = Code("unreachable")
        /// The TLS handshake failed, or a certificate or key file is of no use.
        public static let tls = Code("tls")
        /// The server refused user, password or rights. `reason` is that of the CONNACK.
        public static let badCredentials = Code("badCredentials")
        /// The server refused the connection for another reason, that of the CONNACK.
        public static let connectionRefused = Code("connectionRefused")
        /// The server speaks none of the allowed versions of the protocol.
        public static let unsupportedProtocol = Code("unsupportedProtocol")
        /// The server ended the connection and said why (MQTT 5 only). `reason` is that of the DISCONNECT.
        public static let serverDisconnected = Code("serverDisconnected")
        /// The connection ended without a word.
        public static let connectionLost = Code("connectionLost")
        /// The server, or the way to it, has been silent for too long.
        public static let keepAliveTimeout = Code("keepAliveTimeout")
        /// No answer before the deadline. A request may have been carried out all the same.
        public static let timeout = Code("timeout")
        /// The server refused a message. `reason` is that of the PUBACK (MQTT 5 only).
        public static let publishRefused = Code("publishRefused")
        /// The server refused a subscription. `reason` is that of the SUBACK.
        public static let subscribeRefused = Code("subscribeRefused")
        /// Too many messages wait for the server's answer.
        public static let outboxFull = Code("outboxFull")
        /// The server sent what the protocol does not allow.
        public static let protocolViolation = Code("protocolViolation")
        /// The system has no memory, thread or descriptor left. `reason` is its error number.
        public static let system = Code("system")
    }

    /// The kind of error, to decide by.
    public let code: Code
    /// The number behind it: MQTT's reason (128...255), CONNACK's return code under 3.1.1 (1...5), or the system's error
    /// number, as `code` says; 0 when there is none.
    public let reason: Int
    /// The error in words, for people.
    public let description: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind.
    ///   - reason: The number behind it, 0 for none.
    ///   - description: Words for people.
    public init(_ code: Code, reason: Int = 0, _ description: String) {
        self.code = code
        self.reason = reason
        self.description = description
    }
}
