// SPDX-License-Identifier: Apache-2.0

import API

/// The shared keys of a node's pages, which are compared in constant time.
struct SharedKeys: Sendable {
    private let view: String
    private let control: String
    private let calendar: String?

    init?(_ kiosk: KioskReport) {
        guard let view = kiosk.viewKey, let control = kiosk.controlKey else { return nil }
        self.view = view
        self.control = control
        calendar = kiosk.calendarKey
    }

    /// Returns the access that a key grants, or `nil` if it is not valid.
    func access(of key: String) -> AccessLevel? {
        // Constant time: always compare both keys, each to its end.
        let isControl = Self.isSame(key, control)
        let isView = Self.isSame(key, view)
        return isControl ? .control : isView ? .view : nil
    }

    func opensCalendar(_ key: String) -> Bool { calendar.map { Self.isSame(key, $0) } ?? false }

    private static func isSame(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        guard !b.isEmpty else { return false }
        var difference = UInt8(a.count == b.count ? 0 : 1)
        for index in b.indices { difference |= b[index] ^ (index < a.count ? a[index] : 0) }
        return difference == 0
    }
}
