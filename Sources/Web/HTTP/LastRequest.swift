// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// A channel handler that ends a connection after its last request: one with the token `close`, or one of HTTP/1.0.
///
/// Hummingbird knows `close` only as the whole field in lower case, and does not see the version. An answer to HTTP/1.0
/// is not chunked: its end is that of the connection, which is therefore never kept.
final class LastRequest: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The version of the last request; `nil` while further ones may follow.
    private var version: HTTPVersion?
    /// The number of requests without a complete answer.
    private var unanswered = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        unanswered += 1
        let isOld = head.version != .http1_1
        if isOld { head.headers.remove(name: "Expect") }
        if isOld || !head.isKeepAlive {
            version = isOld ? .http1_0 : .http1_1
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part, let version, unanswered == 1, head.status.code >= 200 {
            head.version = version
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            part = .head(head)
        } else if case .end = part {
            unanswered -= 1
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
