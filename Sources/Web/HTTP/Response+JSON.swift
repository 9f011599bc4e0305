// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Hummingbird
import NIOCore
import Wire

extension Request {
    /// The query parameters; the last value of a repeated name counts.
    var query: Query {
        var query = Query([:])
        for (name, value) in uri.queryParameters { query[String(name)] = String(value) }
        return query
    }
}

extension Response {
    /// Creates a response with a complete body, by default not cacheable.
    init(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok, cache: String = "no-store") {
        self.init(
            status: status, headers: [.contentType: type, .cacheControl: cache],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(Array(text.utf8), type: "text/html; charset=utf-8", status: status)
    }

    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(bytes, type: "application/json", status: status)
    }

    /// Returns a response that streams server-sent events. To `HEAD` it is complete without a body.
    static func eventStream(
        for request: Request,
        _ write: @escaping @Sendable @concurrent (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: request.method == .head
                ? ResponseBody()
                : ResponseBody { writer in
                    try await write(&writer)
                    try await writer.finish(nil)
                })
    }
}

extension ByteBuffer {
    /// Encodes one server-sent event. The data must be one line.
    static func event(_ name: String, data: [UInt8]) -> ByteBuffer {
        var event = ByteBuffer(string: "event: \(name)\ndata: ")
        event.writeBytes(data)
        event.writeStaticString("\n\n")
        return event
    }
}
