// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A certificate with its private key.
final class Credential {
    /// The fields of a new certificate.
    struct Content {
        /// The common name, at most 64 characters.
        var subject: String
        /// The numbers and values of the extensions, as OpenSSL writes them.
        var extensions: [(id: Int32, value: String)]
        /// The time in which it is valid, in seconds since 1970.
        var validity: ClosedRange<Int64>
    }

    private let certificate: OpaquePointer
    private let key: OpaquePointer

    /// Signs a certificate for a new key.
    /// - Parameter issuer: The signer; `nil` for the certificate itself.
    init(_ content: Content, signedBy issuer: Credential? = nil) throws(CertificateError) {
        guard let key = copenssl_new_key(), let certificate = X509_new() else { throw .notMade }
        self.key = key
        self.certificate = certificate
        let signer = issuer ?? self
        let name = Array(content.subject.utf8)
        guard
            // Version 3.
            X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), .random(in: 1...UInt64(Int64.max))) == 1,
            X509_NAME_add_entry_by_txt(
                X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, Int32(name.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate)) == 1,
            ASN1_TIME_set(X509_getm_notBefore(certificate), Int(content.validity.lowerBound)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate), Int(content.validity.upperBound)) != nil,
            X509_set_pubkey(certificate, key) == 1
        else { throw .notMade }
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, signer.certificate, certificate, nil, nil, 0)
        for (id, value) in content.extensions {
            guard let made = X509V3_EXT_conf_nid(nil, &context, id, value) else { throw .notMade }
            defer { X509_EXTENSION_free(made) }
            guard X509_add_ext(certificate, made, -1) == 1 else { throw .notMade }
        }
        guard X509_sign(certificate, signer.key, EVP_sha256()) > 0 else { throw .notMade }
    }

    /// Reads a certificate and its key from PEM. Of several certificates it is the first one.
    /// - Parameters:
    ///   - certificatePath: The file of the certificate, for errors.
    ///   - keyPath: The file of the key, for errors.
    init(
        certificate certificatePEM: [UInt8], in certificatePath: String, key keyPEM: [UInt8], in keyPath: String
    ) throws(CertificateError) {
        let certificate = Self.read(certificatePEM) { PEM_read_bio_X509($0, nil, nil, nil) }
        guard let certificate else { throw CertificateError("\(certificatePath) holds no certificate in PEM format") }
        // Without this function a key with a passphrase would ask for it on the terminal.
        let key = Self.read(keyPEM) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let key else {
            X509_free(certificate)
            throw CertificateError(
                "\(keyPath) holds no private key in PEM format without a passphrase; "
                    + "remove a passphrase with openssl pkey -in \(keyPath) -out FILE")
        }
        self.certificate = certificate
        self.key = key
        guard X509_check_private_key(certificate, key) == 1 else {
            throw CertificateError(
                "the key in \(keyPath) does not belong to the certificate in \(certificatePath); "
                    + "give the two files that were made together")
        }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    // MARK: Checks

    /// Whether it is valid at a time, in seconds since 1970.
    func isValid(at time: Int64) -> Bool { hasBegun(at: time) && !hasEnded(at: time) }

    func hasEnded(at time: Int64) -> Bool {
        var time = Int(time)
        return X509_cmp_time(X509_get0_notAfter(certificate), &time) < 0
    }

    private func hasBegun(at time: Int64) -> Bool {
        var time = Int(time)
        return X509_cmp_time(X509_get0_notBefore(certificate), &time) < 0
    }

    /// Whether the certificate is for a name or an address.
    func holds(_ host: HostName) -> Bool {
        switch host {
        case .address(let text): X509_check_ip_asc(certificate, text, 0) == 1
        case .name(let text): X509_check_host(certificate, text, text.utf8.count, 0, nil) == 1
        }
    }

    /// Whether it signed another certificate, and its name constraints permit all names there.
    func vouches(for other: Credential) -> Bool {
        // NAME_CONSTRAINTS_check sees only the names that X509_check_purpose has read.
        guard X509_verify(other.certificate, X509_get0_pubkey(certificate)) == 1,
            X509_check_purpose(other.certificate, -1, 0) == 1,
            let constraints = X509_get_ext_d2i(certificate, NID_name_constraints, nil, nil)
        else { return false }
        let pointer = constraints.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(pointer) }
        return NAME_CONSTRAINTS_check(other.certificate, pointer) == X509_V_OK
    }

    // MARK: Texts

    /// The certificate as PEM.
    var certificatePEM: [UInt8] { Self.written { PEM_write_bio_X509($0, certificate) == 1 } }

    /// The private key as PEM.
    var keyPEM: [UInt8] {
        Self.written { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 }
    }

    /// The end of its validity, such as `Nov 25 08:57:43 2027 GMT`.
    var end: String {
        String(
            decoding: Self.written { ASN1_TIME_print($0, X509_get0_notAfter(certificate)) == 1 }, as: UTF8.self)
    }

    /// The SHA-256 of the certificate, as phones show it: `AB:CD:…`.
    var fingerprint: String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        X509_digest(certificate, EVP_sha256(), &digest, nil)
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    private static func read(_ bytes: [UInt8], _ body: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        bytes.withUnsafeBytes { bytes in
            guard let input = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return body(input)
        }
    }

    private static func written(_ body: (OpaquePointer) -> Bool) -> [UInt8] {
        guard let output = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(output) }
        guard body(output) else { return [] }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(count, 0))))
    }
}

/// A certificate that cannot be used or made: the message names the file and the way out.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message.
    package var description: String

    init(_ description: String) { self.description = description }

    static let notMade = CertificateError("libcrypto could not make a certificate")
}
