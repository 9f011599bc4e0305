// SPDX-License-Identifier: Apache-2.0

/// The access of a client to a node over HTTP.
enum AccessLevel: Sendable {
    /// Read only.
    case view
    /// Read, start, press and take over.
    case control
}
