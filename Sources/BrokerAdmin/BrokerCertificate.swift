// SPDX-License-Identifier: Apache-2.0

import Joining
import TLS

/// The broker's own authority and the certificate that it signs, as PEM.
struct BrokerCertificate {
    private static let days: Int64 = 3_650

    var authority: [UInt8]
    /// The key of the authority, which stays on this machine.
    var authorityKey: [UInt8]
    var key: [UInt8]
    /// The certificate, and then the authority: a machine that joins compares its fingerprint.
    var chain: [UInt8]
    var hosts: [HostName]

    /// Makes a key and its certificate. Keeps the present authority, and the names of the present certificate, to which
    /// nodes that joined still connect.
    init(for host: HostName, _ machine: BrokerHosts, in files: BrokerFiles, at now: Int64) throws {
        var present: [HostName] = []
        if let certificate = try files.bytes(BrokerPath.certificate) {
            guard let names = Credential.hosts(inCertificate: certificate) else {
                throw SetupError(
                    "cannot read the names in \(files.path(BrokerPath.certificate)), which the nodes rely on; without that file "
                        + "setup starts again")
            }
            present = names
        }
        hosts = machine.certificateHosts(for: host, keeping: present)
        // Valid from a day ago on, since the clock of this machine may be ahead of the others.
        let validity = now - 86_400...now + Self.days * 86_400
        let signer: Credential
        let (path, keyPath) = (files.path(BrokerPath.authority), files.path(BrokerPath.authorityKey))
        if let certificate = try? files.bytes(BrokerPath.authority), let key = try? files.bytes(BrokerPath.authorityKey)
        {
            signer = try Credential(certificate: certificate, in: path, key: key, in: keyPath)
            (authority, authorityKey) = (certificate, key)
        } else {
            signer = try Credential(.authority("Lockstep broker authority", validity: validity))
            (authority, authorityKey) = (signer.certificatePEM, signer.keyPEM)
        }
        let made = try Credential(.server(host.text, for: hosts, validity: validity), signedBy: signer)
        key = made.keyPEM
        chain = made.certificatePEM + authority
    }

    var files: [BrokerFile] {
        [
            BrokerFile(BrokerPath.authorityKey, authorityKey, for: .root),
            BrokerFile(BrokerPath.authority, authority, for: .all),
            BrokerFile(BrokerPath.key, key, for: .broker), BrokerFile(BrokerPath.certificate, chain, for: .all),
        ]
    }
}
