// SPDX-License-Identifier: Apache-2.0

import Session

/// The version of every payload, and its check.
enum ProtocolVersion {
    /// The version that this program reads and writes.
    static let current: Int64 = 1
    /// The key of a payload's version.
    static let key: StaticString = "v"

    static var missing: Rejection { Rejection(.malformed, "v is missing: write \(current)") }
    static var veryLarge: Rejection { Rejection(.unknownVersion, "v is very large") }

    /// Throws unless a payload's `v` is the current version.
    static func check(_ version: Int64) throws(Rejection) {
        guard version == current else {
            throw Rejection(.unknownVersion, "v is \(version), and this program reads \(current)")
        }
    }
}
