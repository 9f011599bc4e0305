// SPDX-License-Identifier: Apache-2.0

import Display
import HTTPTypes
import Hummingbird
import Platform
import Session

/// Authenticates and authorizes requests from the network. The Unix socket is protected by its file mode instead.
struct AuthMiddleware: RouterMiddleware {
    let keys: SharedKeys?
    let phones: PairedPhones
    /// The names of this machine, in lower case.
    let hosts: Set<String>
    /// The configured host names, such as a proxy's. A request for one of them does not count as local.
    var configuredHosts: Set<String> = []
    var needsLocalKey = false
    /// Whether the node itself serves TLS.
    var isSecure = false

    /// The paths that need no key, neither for a request nor in `openapi.json`.
    static let openPaths =
        ["/health", PhoneRoutes.path, PageRoutes.authorityPath] + RemoteRoutes.pathsWithoutKey

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.isLocal = isLocal(request, context)
        context.isSecure = isSecure || request.headers[.forwardedProtocol] == "https"
        try checkHost(of: request)
        if let redirect = sharedKeyRedirect(request, context) { return redirect }
        try admit(request, &context)
        var response = try await next(request, context)
        // The cookie ends a year after the phone was used last, not after it was paired.
        if request.method == .get, request.uri.path == RemoteRoutes.overviewPath, context.phone != nil,
            let key = KeyCookie.key(in: request.cookies)
        {
            response.headers[.setCookie] = KeyCookie.text(with: key, isSecure: context.isSecure)
        }
        return response
    }

    /// Whether a request comes from this machine and was not forwarded.
    ///
    /// A reverse proxy or tunnel on this machine connects over loopback for remote clients: its requests carry a
    /// forwarding header, or the host that the client wants. A proxy that adds no header and asks for loopback itself
    /// looks like a program of this machine; ``needsLocalKey`` guards against such a proxy.
    private func isLocal(_ request: Request, _ context: WebContext) -> Bool {
        let host = Self.host(of: request.head.authority ?? "")
        return context.isFromLoopback && HostText.isLoopback(host) && !configuredHosts.contains(host)
            && !request.headers.contains { Self.isForwarding($0.name.canonicalName) }
    }

    /// Whether proxies and tunnels use the header to name the client. Browsers send none of these.
    private static func isForwarding(_ header: String) -> Bool {
        ["via", "cdn-loop"].contains(header) || header.contains("forwarded") || header.hasSuffix("ip")
            || ["cf-", "tailscale-", "x-envoy-", "x-original-"].contains { header.hasPrefix($0) }
    }

    /// Rejects a `Host` that is no address and no name of this node, against DNS rebinding, and a second `Host`.
    private func checkHost(of request: Request) throws(HTTPProblem) {
        // The first `Host` has become the authority, so one among the fields is a second one.
        guard !request.headers.contains(where: { $0.name.canonicalName == "host" }) else {
            throw HTTPProblem(.badRequest, field: "Host", "a request names one host")
        }
        let name = Self.host(of: request.head.authority ?? "")
        guard !name.isEmpty, HostText.isAddress(name) || hosts.contains(name) || configuredHosts.contains(name) else {
            throw HTTPProblem(
                .misdirectedRequest, field: "Host",
                "“\(name)” is not a name of this node; use its address, or add the name to LOCKSTEP_HTTP_HOSTS")
        }
    }

    /// Returns the redirect that moves the node's key, which a link carries, to a cookie; `nil` for other requests.
    ///
    /// A paired phone that opens such a link keeps its own key.
    private func sharedKeyRedirect(_ request: Request, _ context: WebContext) -> Response? {
        guard request.method == .get, let key = request.query["key"],
            keys?.access(of: key) != nil, Self.isOwnPath(request.uri.path)
        else { return nil }
        let parameters = (request.uri.query ?? "").split(separator: "&")
        let rest = parameters.filter { !$0.hasPrefix("key=") }
        guard rest.count < parameters.count else { return nil }
        let location = LineText(showing: request.uri.path + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&")))
        let isPhone = KeyCookie.key(in: request.cookies).map(phones.hasPhone(withKey:)) ?? false
        return KeyCookie.redirect(to: location, with: isPhone ? nil : key, isSecure: context.isSecure)
    }

    /// Whether a redirect to the path stays on this node.
    ///
    /// Browsers read `//name`, `/\name` and encodings of these as another site. Only names of letters, digits, `-`, `_`
    /// and `.` with single slashes between them are allowed.
    static func isOwnPath(_ path: String) -> Bool {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        return names.first == "" && !names.dropFirst().dropLast().contains("")
            && path.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/-_.".utf8.contains($0) }
    }

    /// Sets the access of a request, by its key, its phone or its origin, and refuses a request without access.
    private func admit(_ request: Request, _ context: inout WebContext) throws(HTTPProblem) {
        let key = key(in: request)
        let access = key.flatMap { keys?.access(of: $0) }
        let phone = phones.admit(access == nil ? key : nil, on: context.channel)
        context.phone = phone?.hash
        if let phone { context.isStillPaired = { [phones] in phones.isPaired(phone) } }
        if let access {
            context.access = access
        } else if let phone {
            context.access = phone.mayPress ? .control : .view
        } else if Self.bearerKey(in: request) != nil {
            throw HTTPProblem(.unauthorized, field: "Authorization", "the key is not valid for this node")
        } else if context.isLocal, !needsLocalKey {
            context.access = .control
        } else if request.uri.path == CalendarRoutes.path, request.query["key"].map({ keys?.opensCalendar($0) }) == true
        {
            context.access = .view
        } else if Self.openPaths.contains(request.uri.path) {
            context.access = .view
        } else {
            throw HTTPProblem(
                .unauthorized,
                "this needs a key: open the link that “lockstep phone add” or “lockstep kiosk” prints on the node's "
                    + "machine, or send “Authorization: Bearer KEY”")
        }
        if request.method.mayChange, context.access != .control {
            throw HTTPProblem(
                .forbidden,
                phone == nil ? "this key is read-only; use the control key" : "this phone may only look")
        }
    }

    /// Returns the key of a request. Schemes other than `Bearer` are ignored: a proxy before the node uses them.
    private func key(in request: Request) -> String? {
        Self.bearerKey(in: request) ?? KeyCookie.key(in: request.cookies)
    }

    private static func bearerKey(in request: Request) -> String? {
        guard let parts = request.headers[.authorization]?.split(separator: " "),
            parts.first?.lowercased() == "bearer"
        else { return nil }
        return parts.count == 2 ? String(parts[1]) : ""
    }

    /// Returns the name in a `Host` header in lower case, without port and brackets; empty if it is malformed.
    static func host(of authority: String) -> String {
        let isBracketed = authority.first == "["
        let name = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        var rest = authority[name.endIndex...]
        if isBracketed {
            guard rest.first == "]", name.contains(":") else { return "" }
            rest = rest.dropFirst()
        }
        guard rest.isEmpty || rest.first == ":" && rest.dropFirst().utf8.allSatisfy({ 48...57 ~= $0 }) else {
            return ""
        }
        return name.lowercased()
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedProtocol: Self = {
        guard let name = Self("X-Forwarded-Proto") else { preconditionFailure("X-Forwarded-Proto is a field name") }
        return name
    }()
}
