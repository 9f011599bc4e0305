// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Wire

/// What changes something comes from a page of this node, or from no page at all, and says that it is JSON: a form on
/// somebody else's page can do neither.
struct OwnPages: RouterMiddleware {
    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .post else { return try await next(request, context) }
        let authority = request.head.authority ?? ""
        if let origin = request.headers[.origin], origin != "http://\(authority)", origin != "https://\(authority)" {
            return Refused(.forbidden, field: "Origin", "requests from pages of \(origin) are not taken").response
        }
        let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() }
        guard type == "application/json" else {
            return Refused(.unsupportedMediaType, field: "Content-Type", "must be application/json").response
        }
        return try await next(request, context)
    }
}
