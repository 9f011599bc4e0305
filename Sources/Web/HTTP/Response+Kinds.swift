// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import Wire

extension Request {
    /// The parameters behind the question mark; of one that stands twice the last counts.
    var query: [String: String] {
        var query: [String: String] = [:]
        for (name, value) in uri.queryParameters { query[String(name)] = String(value) }
        return query
    }
}

extension Response {
    /// A whole body, of the present moment unless said otherwise.
    init(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok, cache: String = "no-store") {
        self.init(
            status: status, headers: [.contentType: type, .cacheControl: cache],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A stream of server-sent events.
    static func eventStream(
        _ write: @escaping @Sendable @concurrent (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await write(&writer)
                try await writer.finish(nil)
            })
    }
}

extension ByteBuffer {
    /// One server-sent event; its data is one line.
    static func event(_ name: String, data: [UInt8]) -> ByteBuffer {
        var event = ByteBuffer(string: "event: \(name)\ndata: ")
        event.writeBytes(data)
        event.writeStaticString("\n\n")
        return event
    }
}

/// A request that is not carried out: what is wrong with it, in the shape of every other answer.
struct Refused: Error {
    var status: HTTPResponse.Status
    var field: String
    var message: String

    init(_ status: HTTPResponse.Status, field: String = "", _ message: String) {
        self.status = status
        self.field = field
        self.message = message
    }

    var response: Response {
        Response(
            ReportJSON.encode(ReplyReport(RequestError(field, message))), type: "application/json", status: status)
    }
}
