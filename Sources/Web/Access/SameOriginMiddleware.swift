// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// CSRF protection: a mutating request must be same-origin and `application/json`.
///
/// A form on another site's page can send neither. Programs send no `Origin`, which is allowed.
struct SameOriginMiddleware: RouterMiddleware {
    /// Whether the node itself serves TLS. Without it, a proxy may.
    var isSecure = false

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard request.method.mayChange else { return try await next(request, context) }
        let authority = request.head.authority ?? ""
        if let origin = request.headers[.origin],
            origin != "https://\(authority)", isSecure || origin != "http://\(authority)"
        {
            throw HTTPProblem(.forbidden, field: "Origin", "must be the origin of this node, not \(origin)")
        }
        let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() }
        guard type == "application/json" else {
            throw HTTPProblem(.unsupportedMediaType, field: "Content-Type", "must be application/json")
        }
        return try await next(request, context)
    }
}

extension HTTPRequest.Method {
    /// Whether a request may change something: it must be same-origin, and a key that only looks may not send it. One
    /// `GET` changes something all the same: the link that pairs a phone, which has a code of its own.
    var mayChange: Bool { ![.get, .head, .options].contains(self) }
}
