// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Session

/// The context of a request: its connection and its access.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The access of the client, as ``AuthMiddleware`` or ``ControlServer`` sets it.
    var access = AccessLevel.none
    /// The hash of the key of the phone that sends the request; `nil` for other clients.
    var phone: String?
    /// Returns whether that phone is still paired. It may have been removed while the body of its request arrived.
    var isStillPaired: @Sendable () -> Bool = { true }
    /// Whether the request comes from this machine and was not forwarded by a proxy, as those two decide.
    var isLocal = false
    /// Whether the client uses TLS, with the node or with a proxy.
    var isSecure = false

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    var isFromLoopback: Bool { channel.remoteAddress?.isLoopback == true }

    /// Returns the body of a request that may change something.
    /// - Throws: ``HTTPProblem`` also if the phone of the request was removed while the body arrived.
    func body(of request: Request, within timeout: Duration = Timeouts().body) async throws -> [UInt8] {
        guard access == .control else { throw HTTPProblem(.forbidden, "this request may not change anything") }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > Limits.payloadBytes {
            throw Self.tooLarge
        }
        if let expectation = request.headers[.expect] {
            guard expectation.lowercased() == "100-continue" else {
                throw HTTPProblem(.expectationFailed, field: "Expect", "must be 100-continue")
            }
            channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
        }
        let body = try await Self.receiveBody(of: request, within: timeout)
        // A connection over TLS is read for some seconds after it was closed.
        guard isStillPaired() else { throw HTTPProblem(.unauthorized, "this phone was removed") }
        return body
    }

    private static var tooLarge: HTTPProblem {
        HTTPProblem(.contentTooLarge, "a request body has at most \(Limits.payloadBytes) bytes")
    }

    private static func receiveBody(of request: Request, within timeout: Duration) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do {
                    return Array(try await request.body.collect(upTo: Limits.payloadBytes).readableBytesView)
                } catch is NIOTooManyBytesError {
                    throw tooLarge
                } catch {
                    throw HTTPProblem(.badRequest, "the request ended before its body was complete")
                }
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw HTTPProblem(.requestTimeout, "the request took longer than \(timeout)")
            }
            return try await group.next() ?? []
        }
    }
}
