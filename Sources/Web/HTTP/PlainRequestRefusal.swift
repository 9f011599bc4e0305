// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A channel handler before TLS that answers a request without TLS, and closes its connection.
final class PlainRequestRefusal: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The first byte of a request is a letter of its method, and that of a TLS handshake is 22.
        guard let first = unwrapInboundIn(data).readableBytesView.first, 65...90 ~= first else {
            context.fireChannelRead(data)
            return context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        let text = "this address needs TLS: open it with https:// instead of http://\n"
        let answer = """
            HTTP/1.1 400 Bad Request\r
            Connection: close\r
            Content-Type: text/plain\r
            Content-Length: \(text.utf8.count)\r
            \r
            \(text)
            """
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        context.close(promise: nil)
    }
}
