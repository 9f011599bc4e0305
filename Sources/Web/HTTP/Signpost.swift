// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Synchronization

/// Says in the API's own words that there is nothing at a path, or nothing to be done there in that way.
final class Signpost: RouterMiddleware {
    private let methods = Mutex<[String: [HTTPRequest.Method]]>([:])

    /// Learns where everything is; called once all routes are there.
    func learn(_ router: Router<WebContext>) {
        let routes = Dictionary(grouping: router.routes, by: \.path.description).mapValues { $0.map(\.method) }
        methods.withLock { $0 = routes }
    }

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        guard let known = methods.withLock({ $0[path] }) else {
            return Refused(.notFound, "there is nothing at \(path); /openapi.json lists what there is").response
        }
        let allowed = known.contains(.get) ? known + [.head] : known
        guard allowed.contains(request.method) else {
            let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            var response = Refused(.methodNotAllowed, "\(path) takes \(names)").response
            response.headers[.allow] = names
            return response
        }
        return try await next(request, context)
    }
}
