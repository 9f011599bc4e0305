// SPDX-License-Identifier: Apache-2.0

import Session

/// The version of every payload, and its check.
enum ProtocolVersion {
    /// The version that this program reads and writes.
    static let current: Int64 = 1
    /// The key of a payload's version.
    static let key: StaticString = "v"

    /// Throws unless a payload's `v` is the current version.
    static func check(_ version: Int64?) throws(Rejection) {
        guard let version else { throw missing }
        guard version == current else {
            throw Rejection(.unknownVersion, "v is \(version), and this program reads \(current)")
        }
    }

    private static var missing: Rejection { Rejection(.malformed, "v is missing: write \(current)") }

    /// Throws unless a payload is one JSON object of this version, whatever else it contains.
    static func checkEnvelope(_ bytes: [UInt8]) throws(Rejection) {
        var reader = JSONReader(bytes)
        var fields = try reader.object()
        var fault: Rejection?
        var hasVersion = false
        while try reader.field(&fields) {
            guard try reader.key() == "v" else {
                try reader.skip()
                continue
            }
            hasVersion = true
            var value = reader
            try reader.skip()
            do throws(Rejection) {
                let version = try value.integer()
                try check(version)
                fault = nil
            } catch {
                fault = error.reason == .outOfBounds ? Rejection(.unknownVersion, "v is very large") : error
            }
        }
        try reader.end()
        if let fault { throw fault }
        if !hasVersion { throw missing }
    }
}
