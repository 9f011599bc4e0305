// SPDX-License-Identifier: Apache-2.0

/// The settings of an ``MQTTClient``.
public struct MQTTConfiguration: Sendable {
    /// A user's name and password.
    public struct Credentials: Sendable, Hashable {
        /// The user's name, at most 65535 bytes of UTF-8 without NUL.
        public var user: String
        /// The password, at most 65535 bytes without NUL.
        public var password: String?

        /// Creates credentials.
        public init(user: String, password: String?) {
            self.user = user
            self.password = password
        }
    }

    /// A name or address of the server, and its port.
    public struct Endpoint: Sendable, Hashable {
        /// The name or address.
        public var host: String
        /// The port, 1...65535.
        public var port: Int

        /// Creates an endpoint.
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }

    /// TLS settings. The server's certificate is always verified, its host name included unless ``isPinned``.
    public struct TLS: Sendable, Hashable {
        /// The certificate authorities to trust.
        public enum Trust: Sendable, Hashable {
            /// The authorities in `/etc/ssl/certs`.
            case system
            /// Only the authorities in this PEM file.
            case file(String)
        }

        /// The certificate authorities to trust.
        public var trust: Trust
        /// The path of a PEM file with this client's certificate; needs ``keyFile`` too.
        public var certificateFile: String?
        /// The path of a PEM file with the certificate's key, without a pass phrase.
        public var keyFile: String?
        /// Whether any certificate from ``trust`` is accepted, whatever its names: for an authority of one server.
        public var isPinned = false

        /// Creates TLS settings.
        public init(trust: Trust = .system, certificateFile: String? = nil, keyFile: String? = nil) {
            self.trust = trust
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The message, of at most 65535 bytes, that the server publishes when the connection ends without a close.
    public typealias Will = MQTTMessage

    /// The versions of MQTT that a client may use.
    public enum VersionPreference: Sendable, Hashable {
        /// MQTT 5, and 3.1.1 at once if the server refuses MQTT 5 or hangs up on it.
        case automatic
        /// MQTT 5 only.
        case v5
        /// MQTT 3.1.1 only.
        case v311
    }

    /// The exponential back-off between attempts to connect.
    ///
    /// Each wait is twice as long as the one before, up to the maximum. A connection that held for longer resets it.
    public struct Backoff: Sendable, Hashable {
        /// The first wait, in milliseconds, 1 or more.
        public var initialMilliseconds: Int64
        /// The longest wait, in milliseconds, from the first wait to 2^31 (24 days).
        public var maximumMilliseconds: Int64
        /// The random share, 0...1, by which a wait is shortened, so that many clients do not reconnect at one instant.
        public var jitter: Double

        /// Creates a back-off; see the properties for units and ranges.
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
    /// Further endpoints of the same server. After a failed attempt the next endpoint is tried at once; only after the
    /// last one the failure is reported, and the back-off begins.
    public var alternatives: [Endpoint] = []
    /// The MQTT client id, unique at the server; if empty, the server assigns one.
    public var clientID: String
    /// The user name and password, if the server requires them.
    public var credentials: Credentials?
    /// The TLS settings; `nil` for an unencrypted connection.
    public var tls: TLS?
    /// Returns the will of the next connection, by ``Connection/number``, on the loop's thread before each attempt.
    public var makeWill: (@Sendable (Int) -> Will?)?
    /// The seconds of silence before a ping, 5...65535. A dead server is detected after twice that.
    public var keepAliveSeconds = 10
    /// The versions of MQTT to use.
    public var version = VersionPreference.automatic
    /// The back-off between attempts.
    public var backoff = Backoff()
    /// The largest packet that the server may send, in bytes, 1 or more; only MQTT 5 can announce it.
    public var maximumPacketSize: UInt32?
    /// The number of published messages that may be unacknowledged, 1...10000. Beyond it, as many retained messages are
    /// queued, the newest for each topic, and others fail with `.outboxFull`.
    public var inFlightLimit = 1000
    /// The timeout of a request, in milliseconds, 1 or more. When it passes, the client also reconnects.
    public var requestTimeoutMilliseconds: Int64 = 10_000
    /// The timeout of an attempt, in milliseconds, 1 or more, from name resolution to the CONNACK.
    public var connectTimeoutMilliseconds: Int64 = 10_000
    /// The milliseconds, 0 or more, that a close waits for acknowledgements, also if the task of `run()` is cancelled.
    public var closeDeadlineMilliseconds: Int64 = 2000
    /// Returns whether a failure ends the client, so that `run()` throws it.
    ///
    /// It is called when a connection is lost, and when the attempts at all endpoints have failed. By default no
    /// failure ends the client: the password or the certificate may be fixed at the server.
    public var giveUp: @Sendable (MQTTError) -> Bool = { _ in false }
    /// Returns the longest random addition to a wait before the next attempt, in milliseconds. With it, the clients of
    /// a server that was away come back one after the other. It is called on the loop's thread.
    public var spreadMilliseconds: @Sendable () -> Int64 = { 0 }

    /// Creates settings with the defaults: MQTT 5 or 3.1.1, keep alive 10 s, request timeout 10 s; see the properties.
    public init(host: String, port: Int? = nil, clientID: String = "") {
        self.host = host
        self.port = port
        self.clientID = clientID
    }
}
