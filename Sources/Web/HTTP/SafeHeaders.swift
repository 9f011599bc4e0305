// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Adds to every response what a browser may do with it.
///
/// It stands in the pipeline and not among the routes: answers to malformed requests and to thrown errors pass here too.
final class SafeHeaders: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        head.headerFields[.contentSecurityPolicy] = Self.policy
        head.headerFields[.xContentTypeOptions] = "nosniff"
        // The address of a page can hold a key.
        head.headerFields[.referrerPolicy] = "no-referrer"
        // A route may allow more: widgets are there for other pages.
        if head.headerFields[.crossOriginResourcePolicy] == nil {
            head.headerFields[.crossOriginResourcePolicy] = "same-origin"
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

extension HTTPField.Name {
    static let referrerPolicy: Self = {
        guard let name = Self("Referrer-Policy") else { preconditionFailure("Referrer-Policy is a field name") }
        return name
    }()
}
