// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Platform

/// The node's own certificate authority, and the certificate that it signs for the node's names and addresses.
///
/// Both are in the folder `https` of the state directory, each with its key in a file of mode 0600. A phone installs
/// the authority once, so it stays while it can; the certificate is replaced when it is about to end, or a name is
/// missing. A replaced authority is kept, and used again when it is valid and the present one is not: the clock may
/// have been wrong. Name constraints keep the authority to the names of this node and to private addresses, so that a
/// thief of its key cannot pose as other sites.
package struct OwnAuthority: Sendable {
    /// Apple's systems accept 825 days from a private authority, and some clients 398.
    static let certificateDays: Int64 = 397
    static let authorityDays: Int64 = 3_650
    /// The certificate is replaced when it has fewer days left.
    static let renewalDays: Int64 = 30

    /// The largest certificate file that is read, in bytes.
    package static let fileLimit = 1 << 18

    let stateDirectory: String
    /// The name of this machine, for people.
    let machine: String
    /// The names and addresses that the settings give.
    let names: [HostName]
    /// Returns the present addresses of this machine, which must be private ones.
    var addresses: @Sendable () -> [HostName]

    package init(
        stateDirectory: String, machine: String, names: [HostName],
        addresses: @escaping @Sendable () -> [HostName] = { [] }
    ) {
        self.stateDirectory = stateDirectory
        self.machine = machine
        self.names = names
        self.addresses = addresses
    }

    private var directory: String { stateDirectory + "/https" }
    private var authorityPath: String { directory + "/authority.pem" }
    private var formerPath: String { directory + "/authority-former.pem" }
    private var certificatePath: String { directory + "/certificate.pem" }

    /// The certificate that a node serves with, and the authority that signed it.
    package struct Credentials {
        package var authority: Credential
        package var certificate: Credential
        /// Whether the authority was just made, so that phones must install it.
        package var isAuthorityNew: Bool
    }

    /// Returns authority and certificate, and makes what is missing or does not suffice.
    package func credentials(at now: Int64) throws(CertificateError) -> Credentials {
        let hosts = names + addresses().filter { !names.contains($0) }
        let found = try authority()
        if let found, !found.isValid(at: now), let former = credential(at: formerPath), former.isValid(at: now),
            let certificate = try certificate(for: hosts, of: former, at: now)
        {
            // In this order, so that no failure in between loses the authority that the phones trust.
            try save(former, at: authorityPath)
            try save(found, at: formerPath)
            return Credentials(authority: former, certificate: certificate, isAuthorityNew: false)
        }
        if let found, !found.hasEnded(at: now), let certificate = try certificate(for: hosts, of: found, at: now) {
            return Credentials(authority: found, certificate: certificate, isAuthorityNew: false)
        }
        let authority = try newAuthority(at: now)
        let certificate = try newCertificate(for: hosts, signedBy: authority, at: now)
        if let found { try save(found, at: formerPath) }
        try save(authority, at: authorityPath)
        try save(certificate, at: certificatePath)
        return Credentials(authority: authority, certificate: certificate, isAuthorityNew: true)
    }

    /// Returns the present certificate or a new one; `nil` if the authority may not sign for the names.
    private func certificate(
        for hosts: [HostName], of authority: Credential, at now: Int64
    ) throws(CertificateError) -> Credential? {
        if let present = credential(at: certificatePath), authority.vouches(for: present), present.isValid(at: now),
            !present.hasEnded(at: now + Self.renewalDays * 86_400), hosts.allSatisfy(present.holds)
        {
            return present
        }
        let certificate = try newCertificate(for: hosts, signedBy: authority, at: now)
        guard authority.vouches(for: certificate) else { return nil }
        // A full disk must not keep a node from starting. The certificate is used until the next check, which makes
        // another.
        try? save(certificate, at: certificatePath)
        return certificate
    }

    private func newAuthority(at now: Int64) throws(CertificateError) -> Credential {
        let permissions = names.map(\.permission) + PrivateNetworks.permissions
        return try Credential(
            .authority(
                "Lockstep authority of \(machine)", validity: validity(of: Self.authorityDays, at: now),
                [(NID_name_constraints, "critical," + permissions.joined(separator: ","))]))
    }

    private func newCertificate(
        for hosts: [HostName], signedBy authority: Credential, at now: Int64
    ) throws(CertificateError) -> Credential {
        try Credential(
            .server("Lockstep on \(machine)", for: hosts, validity: validity(of: Self.certificateDays, at: now)),
            signedBy: authority)
    }

    /// Returns the time in which a certificate is valid. It begins an hour ago, since the clock of a phone may be
    /// behind.
    private func validity(of days: Int64, at now: Int64) -> ClosedRange<Int64> {
        now - 3_600...now - 3_600 + days * 86_400
    }

    // MARK: Files

    private func authority() throws(CertificateError) -> Credential? {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(authorityPath, limit: Self.fileLimit)
        } catch {
            guard error.isMissing else { throw CertificateError(error.description) }
            return nil
        }
        do throws(CertificateError) {
            return try Credential(certificate: bytes, in: authorityPath, key: bytes, in: authorityPath)
        } catch {
            throw CertificateError(
                "\(authorityPath) is damaged; restore it, or delete it: then the node makes another authority, which "
                    + "phones must install again")
        }
    }

    /// Returns `nil` if there is none, or it is damaged.
    private func credential(at path: String) -> Credential? {
        guard let bytes = try? Files.read(path, limit: Self.fileLimit) else { return nil }
        return try? Credential(certificate: bytes, in: path, key: bytes, in: path)
    }

    private func save(_ credential: Credential, at path: String) throws(CertificateError) {
        do throws(FileError) {
            try Files.makeDirectory(directory)
            try Files.replace(path, with: credential.certificatePEM + credential.keyPEM)
        } catch {
            throw CertificateError(error.description)
        }
    }
}
