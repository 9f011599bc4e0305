// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Wire

/// Who may ask what over the network. The Unix socket needs no gate: its mode is one.
struct Gate: RouterMiddleware {
    let keys: HTTPKeys?
    let hosts: Set<String>

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do throws(Refused) {
            try checkHost(of: request)
            if let paired = pairing(request) { return paired }
            try admit(request, &context)
        } catch {
            return Self.secured(error.response)
        }
        return Self.secured(try await next(request, context))
    }

    /// A page of somebody else whose name suddenly stands for this machine asks under its own name.
    private func checkHost(of request: Request) throws(Refused) {
        let name = Self.host(of: request.head.authority ?? "")
        guard !name.isEmpty, Self.isAddress(name) || hosts.contains(name) else {
            throw Refused(
                .misdirectedRequest, field: "Host",
                "“\(name)” is no name of this node; reach it by address, or name the host in LOCKSTEP_HTTP_HOSTS")
        }
    }

    /// A paired link is opened once; from then on a cookie holds its key, and the address bar does not.
    private func pairing(_ request: Request) -> Response? {
        guard request.method == .get, let key = request.query["key"],
            keys?.access(of: key) != nil
        else { return nil }
        let rest = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("key=") }
        let location = request.uri.path + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
        return Response(
            status: .seeOther,
            headers: [
                .location: location, .cacheControl: "no-store",
                .setCookie: "\(HTTPKeys.cookie)=\(key); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict",
            ])
    }

    private func admit(_ request: Request, _ context: inout WebContext) throws(Refused) {
        context.key = key(in: request)
        let access = context.key.flatMap { keys?.access(of: $0) }
        if let access {
            context.access = access
        } else if context.key != nil, request.headers[.authorization] != nil {
            throw Refused(.unauthorized, field: "Authorization", "that key is not one of this node")
        } else if context.isLocal {
            context.access = .control
        } else if request.uri.path == "/health" {
            context.access = .view
        } else {
            throw Refused(
                .unauthorized,
                "this needs a key: open the link that “lockstep kiosk” prints on the node's machine, or send "
                    + "“Authorization: Bearer KEY”")
        }
        if request.method == .post, context.access != .control {
            throw Refused(.forbidden, "this key may only look")
        }
    }

    private func key(in request: Request) -> String? {
        if let header = request.headers[.authorization] {
            let parts = header.split(separator: " ")
            return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : ""
        }
        return request.cookies[HTTPKeys.cookie]?.value
    }

    private static func secured(_ response: Response) -> Response {
        var response = response
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    /// The name in a Host header, without port and brackets, in lower case.
    static func host(of authority: String) -> String {
        if authority.first == "[" { return authority.dropFirst().prefix { $0 != "]" }.lowercased() }
        return authority.prefix { $0 != ":" }.lowercased()
    }

    static func isAddress(_ name: String) -> Bool {
        if name.contains(":") { return name.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." } }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
