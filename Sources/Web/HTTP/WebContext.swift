// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore

/// The context of a request: its connection and its access.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The access of the client; full access on the Unix socket.
    var access = AccessLevel.control
    /// The hash of the key of the phone that sends the request; `nil` for other clients.
    var phone: String?
    /// Returns whether that phone is still paired. It may have been removed while the body of its request arrived.
    var isStillPaired: @Sendable () -> Bool = { true }
    /// Whether the request comes from this machine and was not forwarded by a proxy, as ``AuthMiddleware`` decides.
    var isLocal = true
    /// Whether the client uses TLS, with the node or with a proxy.
    var isSecure = false

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    var isFromLoopback: Bool { channel.remoteAddress?.isLoopback == true }
}
