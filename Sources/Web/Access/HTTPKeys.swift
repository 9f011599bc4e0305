// SPDX-License-Identifier: Apache-2.0

import API
import Hummingbird
import Session

/// The shared keys with which other machines access a node.
struct HTTPKeys: Sendable {
    static let cookie = "lockstep"
    /// The name of the cookie over TLS. Browsers accept it over TLS alone, for this host alone.
    private static let secureCookie = "__Host-lockstep"

    private let view: String
    private let control: String
    private let calendar: String?

    init?(_ kiosk: KioskReport) {
        guard let view = kiosk.viewKey, let control = kiosk.controlKey else { return nil }
        self.view = view
        self.control = control
        calendar = kiosk.calendarKey
    }

    /// Returns a redirect that gives the browser a key in its cookie.
    static func redirect(to location: LineText, with key: String?, isSecure: Bool) -> Response {
        var response = Response(
            status: .seeOther, headers: [.location: location.description, .cacheControl: "no-store"])
        response.headers[.setCookie] = key.map { cookie(with: $0, isSecure: isSecure) }
        return response
    }

    /// Returns the cookie that holds a key for a year.
    ///
    /// It is sent with a link on another site (`Lax`), such as one in a mail. No `GET` request with a cookie changes
    /// anything, and ``SameOriginMiddleware`` checks all that may.
    static func cookie(with key: String, isSecure: Bool) -> String {
        let terms = "Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"
        return isSecure ? "\(secureCookie)=\(key); \(terms); Secure" : "\(cookie)=\(key); \(terms)"
    }

    static func key(in cookies: Cookies) -> String? { (cookies[secureCookie] ?? cookies[cookie])?.value }

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
