// SPDX-License-Identifier: Apache-2.0

package import Mosquitto
import Platform
package import Settings

extension NodeSettings {
    /// Returns how to connect to the broker; `nil` to work alone.
    /// - Parameters:
    ///   - clientID: The start of the MQTT client id. The rest is random: a client with the same id would end the link.
    ///   - givesUp: Called at each failure; `true` ends the client.
    package func brokerConfiguration(clientID: String, givesUp: @escaping @Sendable () -> Bool = { false })
        -> MQTTConfiguration?
    {
        guard let broker else { return nil }
        var configuration = MQTTConfiguration(
            host: broker.host, port: broker.port, clientID: "\(clientID)-\(RandomKey.suffix())")
        configuration.alternatives = broker.endpoints.dropFirst().map { .init(host: $0.host, port: $0.port) }
        // A silent address must not hold up the others.
        if broker.endpoints.count > 1 { configuration.connectTimeoutMilliseconds = 3_000 }
        if let user = broker.user { configuration.credentials = .init(user: user, password: broker.password) }
        if broker.isEncrypted {
            configuration.tls = .init(
                trust: tlsCA.map { .file($0) } ?? .system, certificateFile: tlsCertificate, keyFile: tlsKey)
            configuration.tls?.isPinned = isAuthorityPinned
        }
        configuration.keepAliveSeconds = 10
        // A person who looks at a screen should not wait for a broker that is up again.
        configuration.backoff.maximumMilliseconds = 5_000
        // Far above any valid message, so that larger ones arrive and are counted, but too small to exhaust memory.
        configuration.maximumPacketSize = 1 << 22
        configuration.giveUp = { _ in givesUp() }
        return configuration
    }
}
