// SPDX-License-Identifier: Apache-2.0

/// What a client needs to know.
public struct Configuration: Sendable {
    /// A user's name and password.
    public struct Credentials: Sendable, Hashable {
        /// The user's name.
        public var user: String
        /// The password; under 3.1.1 bytes without NUL.
        public var password: String?

        /// Makes credentials.
        ///
        /// - Parameters:
        ///   - user: The user's name.
        ///   - password: The password, if any.
        public init(user: String, password: String?) {
            self.user = user
            self.password = password
        }
    }

    /// Encryption. The server's certificate is always verified, its host name included.
    public struct TLS: Sendable, Hashable {
        /// Whose certificates are believed.
        public enum Trust: Sendable, Hashable {
            /// The authorities in `/etc/ssl/certs`.
            case system
            /// Those in this PEM file, and no others.
            case file(String)
        }

        /// Whose certificates are believed.
        public var trust: Trust
        /// A PEM file with this client's certificate.
        public var certificateFile: String?
        /// A PEM file with its key, without a pass phrase.
        public var keyFile: String?

        /// Makes a TLS configuration.
        ///
        /// - Parameters:
        ///   - trust: Whose certificates are believed.
        ///   - certificateFile: A PEM file with this client's certificate; needs `keyFile` too.
        ///   - keyFile: A PEM file with its key.
        public init(trust: Trust = .system, certificateFile: String? = nil, keyFile: String? = nil) {
            self.trust = trust
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The message that the server publishes when the connection ends without a proper close. Its payload takes at
    /// most 65535 bytes.
    public typealias Will = Message

    /// Which versions of MQTT to speak.
    public enum VersionPreference: Sendable, Hashable {
        /// MQTT 5; when the server refuses it, or hangs up on it, 3.1.1 at once.
        case automatic
        /// MQTT 5 only.
        case v5
        /// MQTT 3.1.1 only.
        case v311
    }

    /// How long to wait between attempts: twice as long each time, up to the maximum. It starts anew after a connection
    /// that held for longer than the maximum.
    public struct Backoff: Sendable, Hashable {
        /// The first wait, in milliseconds, 1 or more.
        public var initialMilliseconds: Int64
        /// The longest wait, in milliseconds.
        public var maximumMilliseconds: Int64
        /// How much of a wait is random, 0...1, so that many clients do not come back at one instant. The random part
        /// only shortens it.
        public var jitter: Double

        /// Makes a backoff.
        ///
        /// - Parameters:
        ///   - initialMilliseconds: The first wait.
        ///   - maximumMilliseconds: The longest wait.
        ///   - jitter: The random part, 0...1.
        public init(initialMilliseconds: Int64 = 200, maximumMilliseconds: Int64 = 10_000, jitter: Double = 0.5) {
            self.initialMilliseconds = initialMilliseconds
            self.maximumMilliseconds = maximumMilliseconds
            self.jitter = jitter
        }
    }

    /// The server's name or address.
    public var host: String
    /// The server's port, 1...65535; `nil` for 1883, or 8883 with TLS.
    public var port: Int?
    /// This client's name at the server, unique there; empty: the server chooses one.
    public var clientID: String
    /// User and password, if the server asks for them.
    public var credentials: Credentials?
    /// Encryption; `nil` for none.
    public var tls: TLS?
    /// Supplies the will of each connection. Called on the loop's thread before each attempt, with its number (see
    /// ``Connection/number``).
    public var makeWill: (@Sendable (Int) -> Will?)?
    /// Seconds of silence after which a ping goes out, 5...65535. A dead server is noticed after twice that.
    public var keepAliveSeconds: Int
    /// Which versions of MQTT to speak.
    public var version: VersionPreference
    /// How long to wait between attempts.
    public var backoff: Backoff
    /// The largest packet the server may send, in bytes; told to it under MQTT 5 only.
    public var maximumPacketSize: UInt32?
    /// How many messages ``MQTTClient/events`` holds before it drops the newest. Of no effect with a handler.
    public var messageBufferLimit: Int
    /// How many messages may wait for the server's answer, 1...10000. Past it, as many retained ones wait, the latest
    /// for each topic, and others fail.
    public var inFlightLimit: Int
    /// Milliseconds until a request without an answer fails, and the connection is made anew.
    public var requestTimeoutMilliseconds: Int64
    /// Milliseconds for an attempt, from the name's resolution to the server's answer.
    public var connectTimeoutMilliseconds: Int64
    /// Milliseconds that a close waits for answers when the task of `run()` is cancelled.
    public var closeDeadlineMilliseconds: Int64
    /// Whether this failure ends the client: `run()` throws it. Never, by default: a password or a certificate may be
    /// set right on the other side.
    public var giveUp: @Sendable (MQTTError) -> Bool

    /// Makes a configuration with the defaults: MQTT 5 or 3.1.1, keep alive 10 s, requests 10 s.
    ///
    /// - Parameters:
    ///   - host: The server's name or address.
    ///   - port: Its port; `nil` for 1883, or 8883 with TLS.
    ///   - clientID: This client's name at the server; empty: the server chooses one.
    public init(host: String, port: Int? = nil, clientID: String = "") {
        self.host = host
        self.port = port
        self.clientID = clientID
        keepAliveSeconds = 10
        version = .automatic
        backoff = Backoff()
        messageBufferLimit = 1024
        inFlightLimit = 1000
        requestTimeoutMilliseconds = 10_000
        connectTimeoutMilliseconds = 10_000
        closeDeadlineMilliseconds = 2000
        giveUp = { _ in false }
    }
}
