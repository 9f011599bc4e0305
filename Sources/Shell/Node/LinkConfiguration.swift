// SPDX-License-Identifier: Apache-2.0

public import Mosquitto
import Session

extension Settings {
    /// How to connect to the broker; `nil` to work alone.
    /// - Parameters:
    ///   - clientID: How the client's id at the broker begins. A random suffix follows, so that nobody ends the connection
    ///     by connecting under its id.
    ///   - givesUp: Asked at each failure whether it is the last; a node tries for ever.
    public func link(clientID: String, givesUp: @escaping @Sendable () -> Bool = { false }) -> Mosquitto.Configuration?
    {
        guard let broker else { return nil }
        let suffix = String(UInt64.random(in: 0 ... .max), radix: 36)
        var configuration = Mosquitto.Configuration(
            host: broker.host, port: broker.port, clientID: "\(clientID)-\(suffix)")
        if let user = broker.user { configuration.credentials = .init(user: user, password: broker.password) }
        if broker.isEncrypted {
            configuration.tls = .init(
                trust: tlsCA.map { .file($0) } ?? .system, certificateFile: tlsCertificate, keyFile: tlsKey)
        }
        configuration.keepAliveSeconds = 10
        // A home broker that is back should be noticed by a person who looks, not by one who waits.
        configuration.backoff.maximumMilliseconds = 5_000
        // Far above what is used, so that what is too large can be counted; below what would fill the memory.
        configuration.maximumPacketSize = 1 << 22
        configuration.giveUp = { _ in givesUp() }
        return configuration
    }
}
