// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import Web

/// Calls the routes without a network. Its channel has no loopback address, so requests do not count as local.
struct RouteClient: Sendable {
    struct Answer: Sendable {
        var status: HTTPResponse.Status
        var headers: HTTPFields
        var body: ByteBuffer
    }

    private let ask: @Sendable (Request, WebContext) async throws -> Response

    init(_ router: Router<WebContext>) {
        let responder = router.buildResponder()
        ask = { request, context in try await responder.respond(to: request, context: context) }
    }

    func get(_ uri: String, _ headers: HTTPFields = [:]) async throws -> Answer {
        try await execute(uri: uri, method: .get, headers: headers)
    }

    func post(_ uri: String, _ body: String, _ headers: HTTPFields) async throws -> Answer {
        try await execute(uri: uri, method: .post, headers: headers, body: ByteBuffer(string: body))
    }

    func execute(
        uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer = ByteBuffer()
    ) async throws -> Answer {
        try await execute(uri: uri, method: method, headers: headers, body: RequestBody(buffer: body))
    }

    func execute(
        uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: RequestBody
    ) async throws -> Answer {
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: uri, headerFields: headers)
        let context = WebContext(
            source: ApplicationRequestContextSource(
                channel: NIOAsyncTestingChannel(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        let response = try await ask(Request(head: head, body: body), context)
        let collector = Collector()
        try await response.body.write(collector)
        return Answer(status: response.status, headers: response.headers, body: collector.bytes.withLock(\.self))
    }

    private final class Collector: ResponseBodyWriter {
        let bytes = Mutex(ByteBuffer())

        func write(_ buffer: ByteBuffer) async throws { bytes.withLock { _ = $0.writeImmutableBuffer(buffer) } }
        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
