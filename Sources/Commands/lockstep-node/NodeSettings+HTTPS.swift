// SPDX-License-Identifier: Apache-2.0

import Logging
import Settings
import Web

#if HTTPS
import Platform
import TLS
#endif

extension NodeSettings {
    /// Returns the certificate of the settings, or else one that the node's own authority issues.
    func encryption(
        of https: HTTPAddress, names: Set<String>, log: Logger
    ) throws(SettingError) -> any HTTPEncryption {
        #if HTTPS
        do throws(CertificateError) {
            if let httpsCertificate, let httpsKey {
                return try ServerCertificate(certificate: httpsCertificate, key: httpsKey, log: log)
            }
            return try ServerCertificate(
                stateDirectory: stateDirectory, machine: Self.hostName, hosts: names,
                isForAnyAddress: HostText.isAny(https.host), log: log)
        } catch {
            throw SettingError("HTTPS cannot be served: \(error)")
        }
        #else
        throw SettingError("HTTPS cannot be served: this program was built without it; run swift build -c release")
        #endif
    }
}
