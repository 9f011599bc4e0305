// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Platform
import Session
import Support
import Testing

@testable import TLS
@testable import Web

/// The certificate of HTTPS from given files.
@Suite(.limitedConcurrency) struct ServerCertificateTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a certificate and its key, and returns their paths.
    @discardableResult
    private func write(_ name: String, days: Int64 = 2) throws -> (certificate: String, key: String) {
        let now = SystemClock.wallMilliseconds() / 1_000
        let made = try Credential(
            Credential.Content(
                subject: name, extensions: [], validity: now - 3 * 86_400...now + days * 86_400))
        let key = try directory.write(String(decoding: made.keyPEM, as: UTF8.self), to: "\(name).key")
        chmod(key, 0o600)
        return (try directory.write(String(decoding: made.certificatePEM, as: UTF8.self), to: "\(name).crt"), key)
    }

    private func complaint(_ certificate: String, _ key: String) -> String {
        let error = #expect(throws: CertificateError.self) {
            try ServerCertificate(certificate: certificate, key: key, log: Self.log)
        }
        return error?.description ?? ""
    }

    @Test func anExpiredCertificateIsServedWithAWarning() throws {
        let lines = LogLines()
        let (certificate, key) = try write("pi", days: -1)
        let server = try ServerCertificate(certificate: certificate, key: key, log: lines.logger)
        let start = BootTime(SystemClock.bootMilliseconds())
        let expired = server.current(at: start + 2 * ServerCertificate.checkInterval).chain
        #expect(lines.all.count == 1, "\(lines.all)")
        #expect(lines.all[0].contains("the certificate in \(certificate) has expired ("), "\(lines.all)")
        #expect(lines.all[0].contains(" GMT); renew it"), "\(lines.all)")
        try write("pi")
        #expect(server.current(at: start + 4 * ServerCertificate.checkInterval).chain != expired)
    }

    @Test func filesOfOnePairAreUsedAndOthersAreNamed() throws {
        let (certificate, key) = try write("pi")
        let server = try ServerCertificate(certificate: certificate, key: key, log: Self.log)
        #expect(server.current().chain.count == 1)
        #expect(server.authority == nil)
        #expect(server.fingerprint == nil)

        #expect(complaint("/nonexistent/c", key).contains("cannot read /nonexistent/c: No such file"))
        #expect(complaint(certificate, "/nonexistent/k").contains("cannot read /nonexistent/k: No such file"))
        #expect(complaint(key, key).contains("\(key) holds no certificate in PEM format"))
        let text = try directory.write("text", to: "text")
        chmod(text, 0o600)
        #expect(complaint(certificate, text).contains("\(text) holds no private key in PEM format"))
        let other = try write("other")
        let said = complaint(certificate, other.key)
        #expect(said.contains("the key in \(other.key) does not belong to the certificate in \(certificate)"))
        chmod(key, 0o644)
        #expect(complaint(certificate, key).contains("run chmod 600 \(key)"))
    }

    @Test func aKeyWithAPassphraseIsRefusedWithTheFix() async throws {
        let (certificate, key) = try write("pi")
        let locked = directory.file("locked.key")
        try await Spawn.run(
            [try Spawn.find("openssl"), "pkey", "-in", key, "-aes128", "-passout", "pass:word", "-out", locked],
            in: directory)
        #expect(complaint(certificate, locked).contains("openssl pkey -in \(locked)"))
    }

    @Test func renewedFilesAreReadAfterAMinute() throws {
        let (certificate, key) = try write("pi")
        let server = try ServerCertificate(certificate: certificate, key: key, log: Self.log)
        let start = BootTime(SystemClock.bootMilliseconds())
        let first = server.current(at: start).chain
        try write("pi")
        #expect(server.current(at: start).chain == first)
        let second = server.current(at: start + 2 * ServerCertificate.checkInterval).chain
        #expect(second != first)
        // Half of a renewal changes nothing.
        try directory.write("", to: "pi.crt")
        #expect(server.current(at: start + 4 * ServerCertificate.checkInterval).chain == second)
        try write("pi")
        #expect(server.current(at: start + 6 * ServerCertificate.checkInterval).chain != second)
    }
}
