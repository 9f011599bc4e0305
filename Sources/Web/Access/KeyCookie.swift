// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Session

/// The cookie in which a browser keeps a key: a shared one, or that of a paired phone.
enum KeyCookie {
    static let name = "lockstep"
    /// The name of the cookie over TLS. Browsers accept it over TLS alone, for this host alone.
    private static let secureName = "__Host-lockstep"

    /// Returns a redirect that gives the browser a key in its cookie.
    static func redirect(to location: LineText, with key: String?, isSecure: Bool) -> Response {
        var response = Response(
            status: .seeOther, headers: [.location: location.description, .cacheControl: "no-store"])
        response.headers[.setCookie] = key.map { text(with: $0, isSecure: isSecure) }
        return response
    }

    /// Returns the cookie that holds a key for a year.
    ///
    /// It is sent with a link on another site (`Lax`), such as one in a mail. No `GET` request with a cookie changes
    /// anything, and ``SameOriginMiddleware`` checks all that may.
    static func text(with key: String, isSecure: Bool) -> String {
        let terms = "Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"
        return isSecure ? "\(secureName)=\(key); \(terms); Secure" : "\(name)=\(key); \(terms)"
    }

    static func key(in cookies: Cookies) -> String? { (cookies[secureName] ?? cookies[name])?.value }
}
