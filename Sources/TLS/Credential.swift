// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A certificate with its private key.
package final class Credential {
    /// The content of a new certificate.
    package struct Content {
        /// The common name, at most 64 characters.
        var subject: String
        /// The numbers and values of the extensions, as OpenSSL writes them.
        var extensions: [(id: Int32, value: String)]
        /// The time in which it is valid, in seconds since 1970.
        var validity: ClosedRange<Int64>

        /// The certificate of a server, which an authority signs.
        package static func server(
            _ subject: String, for hosts: [HostName], validity: ClosedRange<Int64>
        ) -> Self {
            Self(
                subject: String(subject.prefix(64)),
                extensions: [
                    (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                    (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
                    (NID_authority_key_identifier, "keyid"),
                    (NID_subject_alt_name, hosts.map(\.alternative).joined(separator: ",")),
                ], validity: validity)
        }

        /// The certificate of an authority, which signs certificates of servers only.
        package static func authority(
            _ subject: String, validity: ClosedRange<Int64>, _ more: [(id: Int32, value: String)] = []
        ) -> Self {
            Self(
                subject: String(subject.prefix(64)),
                extensions: [
                    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign"),
                    (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
                ] + more, validity: validity)
        }
    }

    private let certificate: OpaquePointer
    private let key: OpaquePointer

    /// Makes a key and a certificate for it, which `issuer` signs, or else the key itself.
    package init(_ content: Content, signedBy issuer: Credential? = nil) throws(CertificateError) {
        guard let key = copenssl_new_key(), let certificate = X509_new() else { throw .notMade }
        self.key = key
        self.certificate = certificate
        let signer = issuer ?? self
        let name = Array(content.subject.utf8)
        guard
            // The number 2 means version 3.
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

    /// Reads a certificate, the first of several, and its key from PEM. The paths are for errors.
    package init(
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
    package func isValid(at time: Int64) -> Bool {
        var seconds = Int(time)
        return X509_cmp_time(X509_get0_notBefore(certificate), &seconds) < 0 && !hasEnded(at: time)
    }

    package func hasEnded(at time: Int64) -> Bool {
        var time = Int(time)
        return X509_cmp_time(X509_get0_notAfter(certificate), &time) < 0
    }

    func holds(_ host: HostName) -> Bool {
        switch host {
        case .address(let text): X509_check_ip_asc(certificate, text, 0) == 1
        case .name(let text): X509_check_host(certificate, text, text.utf8.count, 0, nil) == 1
        }
    }

    /// Whether this authority signed a certificate, and its name constraints permit all names there.
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

    /// Returns the names and addresses that a certificate is for; `nil` if they cannot be read.
    package static func hosts(inCertificate pem: [UInt8]) -> [HostName]? {
        guard let certificate = read(pem, { PEM_read_bio_X509($0, nil, nil, nil) }) else { return nil }
        defer { X509_free(certificate) }
        guard let names = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return nil }
        let list = OpaquePointer(names)
        defer { GENERAL_NAMES_free(list) }
        return (0..<OPENSSL_sk_num(list)).compactMap { index -> HostName? in
            let name = OPENSSL_sk_value(list, index)?.assumingMemoryBound(to: GENERAL_NAME.self)
            var kind: Int32 = 0
            guard let value = GENERAL_NAME_get0_value(name, &kind), kind == GEN_DNS || kind == GEN_IPADD else {
                return nil
            }
            let text = value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = Array(
                UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text))))
            return kind == GEN_IPADD ? HostName(bytes: bytes) : HostName(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Returns the SHA-256 of a certificate; `nil` if the bytes are not a certificate.
    package static func fingerprint(ofCertificate pem: [UInt8]) -> [UInt8]? {
        guard let certificate = read(pem, { PEM_read_bio_X509($0, nil, nil, nil) }) else { return nil }
        defer { X509_free(certificate) }
        return digest(of: certificate)
    }

    private static func digest(of certificate: OpaquePointer) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        X509_digest(certificate, EVP_sha256(), &digest, nil)
        return digest
    }

    // MARK: Texts

    package var certificatePEM: [UInt8] { Self.written { PEM_write_bio_X509($0, certificate) == 1 } }

    package var keyPEM: [UInt8] {
        Self.written { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 }
    }

    /// The end of its validity, such as `Nov 25 08:57:43 2027 GMT`.
    package var end: String {
        String(
            decoding: Self.written { ASN1_TIME_print($0, X509_get0_notAfter(certificate)) == 1 }, as: UTF8.self)
    }

    /// The SHA-256 of the certificate, as phones show it: `AB:CD:…`.
    package var fingerprint: String {
        Self.digest(of: certificate).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(
            separator: ":")
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

/// A certificate that cannot be used or made: the message names the file and the fix.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    static let notMade = CertificateError("libcrypto could not make a certificate")
}
