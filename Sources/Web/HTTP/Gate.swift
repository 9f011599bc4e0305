// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Wire

/// Who may ask what over the network. The Unix socket needs no gate: its mode is one.
struct Gate: RouterMiddleware {
    let keys: HTTPKeys?
    /// The names of this machine.
    let hosts: Set<String>
    /// Names that were given for the node, as a proxy's: whoever asks by one of them may be anywhere.
    var givenHosts: Set<String> = []
    /// Whether requests of this machine need a key, too.
    var needsLocalKey = false

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.isLocal = isLocal(request, context)
        do throws(Refused) {
            try checkHost(of: request)
            if let paired = pairing(request) { return paired }
            try admit(request, &context)
        } catch {
            return error.response
        }
        return try await next(request, context)
    }

    /// Whether a request comes from this machine and was not forwarded. A reverse proxy on this machine connects over
    /// loopback for everybody: its requests carry a forwarding header, or the name that people know the node by.
    private func isLocal(_ request: Request, _ context: WebContext) -> Bool {
        context.isFromLoopback && !givenHosts.contains(Self.host(of: request.head.authority ?? ""))
            && !request.headers.contains { Self.isForwarding($0.name.canonicalName) }
    }

    /// The headers by which proxies and tunnels name the client. No browser sends one of them by itself.
    private static func isForwarding(_ header: String) -> Bool {
        header == "via" || header.contains("forwarded") || header.hasSuffix("-ip")
            || ["tailscale-", "x-envoy-", "x-original-"].contains { header.hasPrefix($0) }
    }

    /// A page of somebody else whose name suddenly stands for this machine asks under its own name.
    private func checkHost(of request: Request) throws(Refused) {
        let name = Self.host(of: request.head.authority ?? "")
        guard !name.isEmpty, Self.isAddress(name) || hosts.contains(name) || givenHosts.contains(name) else {
            throw Refused(
                .misdirectedRequest, field: "Host",
                "“\(name)” is no name of this node; reach it by address, or name the host in LOCKSTEP_HTTP_HOSTS")
        }
    }

    /// A paired link is opened once; from then on a cookie holds its key, and the address bar does not.
    private func pairing(_ request: Request) -> Response? {
        guard request.method == .get, let key = request.query["key"],
            keys?.access(of: key) != nil, Self.isOwnPath(request.uri.path)
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

    /// Whether a path can only lead to this node. A browser takes `//name`, `/\name` and what it reads as these for another
    /// site: only names of letters, digits, `-`, `_` and `.` with one slash between them are taken.
    static func isOwnPath(_ path: String) -> Bool {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        return names.first == "" && !names.dropFirst().dropLast().contains("")
            && path.utf8.allSatisfy { byte in
                let character = Character(Unicode.Scalar(byte))
                return byte < 128 && (character.isLetter || character.isNumber || "/-_.".contains(character))
            }
    }

    private func admit(_ request: Request, _ context: inout WebContext) throws(Refused) {
        context.key = key(in: request)
        let access = context.key.flatMap { keys?.access(of: $0) }
        if let access {
            context.access = access
        } else if context.key != nil, request.headers[.authorization] != nil {
            throw Refused(.unauthorized, field: "Authorization", "that key is not one of this node")
        } else if context.isLocal, !needsLocalKey {
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
