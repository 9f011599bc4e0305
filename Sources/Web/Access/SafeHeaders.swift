// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A channel handler that adds security headers to every final response.
///
/// A middleware would miss the responses to malformed requests and thrown errors.
final class SafeHeaders: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        + "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational else {
            return context.write(data, promise: promise)
        }
        head.headerFields[.contentSecurityPolicy] = Self.policy
        head.headerFields[.xContentTypeOptions] = "nosniff"
        // The address of a page can contain a key.
        head.headerFields[.referrerPolicy] = "no-referrer"
        // A route may allow more: widgets are embedded in other sites.
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
