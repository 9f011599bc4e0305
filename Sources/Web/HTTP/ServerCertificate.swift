// SPDX-License-Identifier: Apache-2.0

#if HTTPS
package import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
import Platform
import Session
import Synchronization
package import TLS

/// The certificate of a node for HTTPS: from files that a person gave, or from the node's own authority.
///
/// It is checked when a client connects, at most once a minute: files that were replaced are read again, and an own
/// certificate is renewed. If that fails, the former one stays in use.
package final class ServerCertificate: HTTPEncryption {
    /// The time between two checks.
    static let checkInterval: Milliseconds = 60_000

    /// The certificate that clients get, and the authority that they may install.
    struct Identity: Sendable {
        var chain: [NIOSSLCertificate]
        var key: NIOSSLPrivateKey
        var authority: [UInt8]?
        var fingerprint: String?
        /// The error that names the end of an expired certificate; `nil` while it is valid.
        var expired: CertificateError?
    }

    /// The certificate in use, and the last check of its files.
    private struct State {
        var identity: Identity
        var checked: BootTime
        var failure: CertificateError?
    }

    private let load: @Sendable () throws(CertificateError) -> Identity
    private let state: Mutex<State>
    private let log: Logger

    package convenience init(certificate: String, key: String, log: Logger) throws(CertificateError) {
        try self.init(log: log) { () throws(CertificateError) in
            try Self.given(certificate: certificate, key: key, at: SystemClock.wallMilliseconds() / 1_000)
        }
    }

    /// Reads authority and certificate of the node, or makes them.
    package convenience init(
        stateDirectory: String, machine: String, hosts: Set<String>, isForAnyAddress: Bool, log: Logger
    ) throws(CertificateError) {
        let names = hosts.union(["localhost", "127.0.0.1", "::1"]).filter { !HostText.isAny($0) }.sorted()
        let authority = OwnAuthority(
            stateDirectory: stateDirectory, machine: machine, names: names.compactMap { HostName($0) },
            addresses: { isForAnyAddress ? PrivateNetworks.addressesOfThisMachine() : [] })
        try self.init(log: log) { () throws(CertificateError) in
            let found = try authority.credentials(at: SystemClock.wallMilliseconds() / 1_000)
            if found.isAuthorityNew {
                log.notice(
                    "the node has made an authority for HTTPS; phones that shall trust it install it from /authority.crt",
                    metadata: ["sha256": "\(found.authority.fingerprint)"])
            }
            var identity = try Self.identity(
                chain: found.certificate.certificatePEM, key: found.certificate.keyPEM, in: "the own certificate")
            identity.authority = found.authority.certificatePEM
            identity.fingerprint = found.authority.fingerprint
            return identity
        }
    }

    private init(
        log: Logger, _ load: @escaping @Sendable () throws(CertificateError) -> Identity
    ) throws(CertificateError) {
        self.log = log
        self.load = load
        let identity = try load()
        if let expired = identity.expired { log.warning("\(expired)") }
        let now = BootTime(SystemClock.bootMilliseconds())
        state = Mutex(State(identity: identity, checked: now, failure: identity.expired))
    }

    // MARK: Use

    package var fingerprint: String? { state.withLock { $0.identity.fingerprint } }

    package var authority: [UInt8]? { state.withLock { $0.identity.authority } }

    package func encrypt(_ server: HTTPServerBuilder) throws -> HTTPServerBuilder {
        try .tls(server, tlsConfiguration: configuration)
    }

    private var configuration: TLSConfiguration {
        let identity = current()
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: identity.chain.map { .certificate($0) }, privateKey: .privateKey(identity.key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.sslContextCallback = { [self] _, promise in
            let identity = current()
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = identity.chain.map { .certificate($0) }
            override.privateKey = .privateKey(identity.key)
            promise.succeed(override)
        }
        return configuration
    }

    /// Returns the certificate for a new connection.
    func current(at now: BootTime = BootTime(SystemClock.bootMilliseconds())) -> Identity {
        state.withLock { state in
            guard now - state.checked >= Self.checkInterval else { return state.identity }
            state.checked = now
            do throws(CertificateError) {
                let identity = try load()
                if let expired = identity.expired { throw expired }
                state.identity = identity
                state.failure = nil
            } catch {
                if state.failure != error {
                    log.warning(
                        "the certificate of HTTPS could not be renewed, and the former one stays in use",
                        metadata: ["reason": "\(error)"])
                }
                state.failure = error
            }
            return state.identity
        }
    }

    // MARK: Reading

    private static func given(certificate: String, key: String, at now: Int64) throws(CertificateError) -> Identity {
        let (chain, keyBytes) = (try read(certificate), try read(key))
        let exposure: String?
        do throws(FileError) { exposure = try Files.exposure(of: key) } catch {
            throw CertificateError(error.description)
        }
        if let exposure { throw CertificateError(exposure) }
        let credential = try Credential(certificate: chain, in: certificate, key: keyBytes, in: key)
        var identity = try identity(chain: chain, key: credential.keyPEM, in: certificate)
        // A node that starts after a certificate has expired still shows and serves its session.
        if credential.hasEnded(at: now) {
            identity.expired = CertificateError(
                "the certificate in \(certificate) has expired (\(credential.end)); renew it")
        }
        return identity
    }

    private static func read(_ path: String) throws(CertificateError) -> [UInt8] {
        do throws(FileError) {
            return try Files.read(path, limit: OwnAuthority.fileLimit)
        } catch {
            throw CertificateError(error.description)
        }
    }

    private static func identity(chain: [UInt8], key: [UInt8], in path: String) throws(CertificateError) -> Identity {
        do {
            return Identity(
                chain: try NIOSSLCertificate.fromPEMBytes(chain), key: try NIOSSLPrivateKey(bytes: key, format: .pem))
        } catch {
            throw CertificateError("\(path) cannot be used: \(error)")
        }
    }
}
#endif
