// SPDX-License-Identifier: Apache-2.0

import Display

/// The access of a client to a node over HTTP.
enum AccessLevel: Sendable {
    /// None: nothing has checked the request.
    case none
    /// Read only.
    case view
    /// Read, start, press and take over.
    case control

    /// Whether a page may press, which `controls=0` in its address forbids.
    func mayPress(by query: Query) -> Bool { self == .control && (try? query.flag("controls")) != false }
}
