// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Synchronization

/// Answers requests for unknown paths with 404 and for unknown methods with 405, in the API's JSON format.
final class NotFoundMiddleware: RouterMiddleware {
    private let methods = Mutex<[String: [HTTPRequest.Method]]>([:])

    /// Sets the routes that exist; call it after all routes were added.
    func setRoutes(of router: Router<WebContext>) {
        let routes = Dictionary(grouping: router.routes, by: \.path.description).mapValues { $0.map(\.method) }
        methods.withLock { $0 = routes }
    }

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard let known = methods.withLock({ $0[path] }) else {
            throw HTTPProblem(.notFound, "\(path) does not exist; /openapi.json lists all paths")
        }
        let allowed = known.contains(.get) ? known + [.head] : known
        guard allowed.contains(request.method) else {
            let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            var response = HTTPProblem(.methodNotAllowed, "\(path) allows \(names)").response
            response.headers[.allow] = names
            return response
        }
        return try await next(request, context)
    }
}
