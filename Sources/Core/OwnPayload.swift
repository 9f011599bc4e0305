// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// The payload of a node's own register, which is made once for the journal and the broker.
struct OwnPayload: Sendable {
    /// The register that was encoded last, and its payload.
    private var latest: (register: Register, payload: [UInt8])?

    mutating func make(of own: Register) -> [UInt8] {
        if let latest, latest.register == own { return latest.payload }
        let payload = own.json()
        latest = (own, payload)
        return payload
    }
}
