// SPDX-License-Identifier: Apache-2.0

import Wire

/// The secrets that open a node to other machines.
struct HTTPKeys: Sendable {
    /// The name of the cookie that holds one.
    static let cookie = "lockstep"

    private let view: String
    private let control: String

    init?(_ kiosk: KioskReport) {
        guard let view = kiosk.viewKey, let control = kiosk.controlKey else { return nil }
        self.view = view
        self.control = control
    }

    /// What a key allows; `nil` when it is none of these.
    func access(of key: String) -> Access? {
        // Both are compared, and each to its end: how long it takes says nothing.
        let isControl = Self.isSame(key, control)
        let isView = Self.isSame(key, view)
        return isControl ? .control : isView ? .view : nil
    }

    private static func isSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard !b.isEmpty else { return false }
        var difference = UInt8(a.count == b.count ? 0 : 1)
        for index in b.indices { difference |= b[index] ^ (index < a.count ? a[index] : 0) }
        return difference == 0
    }
}
