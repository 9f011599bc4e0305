// SPDX-License-Identifier: Apache-2.0

import API
import Display

/// The access of a client to a node over HTTP.
enum AccessLevel: Sendable {
    /// No access: nothing has checked the request.
    case none
    /// Read only.
    case view
    /// Read, start, press and take over.
    case control

    /// Whether a page may press, which `controls=0` in its address forbids.
    func mayPress(by query: Query) throws(RequestError) -> Bool {
        let offersControls = try query.flag("controls") != false
        return self == .control && offersControls
    }
}
