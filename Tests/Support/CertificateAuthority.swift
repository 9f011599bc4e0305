// SPDX-License-Identifier: Apache-2.0

/// An authority that issues certificates for tests, made with openssl.
public final class CertificateAuthority: Sendable {
    /// The files of a certificate and its key.
    public struct Identity: Sendable {
        public let certificate: String
        public let key: String
    }

    private let directory: TemporaryDirectory
    private let openssl: String

    /// The file of the authority's own certificate.
    public var file: String { directory.file("ca.crt") }

    /// Creates an authority whose certificate is valid for two days.
    public init() async throws {
        directory = try TemporaryDirectory()
        openssl = try Spawn.find("openssl")
        try await Spawn.run(
            Self.request(openssl) + [
                "-x509", "-days", "2", "-subj", "/CN=Test Authority",
                "-keyout", directory.file("ca.key"), "-out", directory.file("ca.crt"),
            ],
            in: directory
        )
    }

    /// Issues a certificate.
    /// - Parameter alternatives: Its alternative names, as OpenSSL writes them.
    public func issue(
        _ name: String,
        alternatives: String = "DNS:localhost,IP:127.0.0.1"
    ) async throws -> Identity {
        let identity = Identity(certificate: directory.file("\(name).crt"), key: directory.file("\(name).key"))
        let request = directory.file("\(name).csr")
        let extensions = try directory.write("subjectAltName=\(alternatives)\n", to: "\(name).ext")
        try await Spawn.run(
            Self.request(openssl) + ["-subj", "/CN=\(name)", "-keyout", identity.key, "-out", request],
            in: directory
        )
        try await Spawn.run(
            [
                openssl, "x509", "-req", "-days", "2", "-in", request, "-out", identity.certificate,
                "-CA", file, "-CAkey", directory.file("ca.key"), "-CAcreateserial", "-extfile", extensions,
            ],
            in: directory
        )
        return identity
    }

    private static func request(_ openssl: String) -> [String] {
        [openssl, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    }
}
