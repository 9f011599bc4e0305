// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore

/// What a route knows of the connection that a request came on.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// What whoever asks may do; on the Unix socket everything.
    var access = Access.control
    /// The key that it was shown by; `nil` where none is needed.
    var key: String?
    /// Whether a program or a browser of this machine asks for itself, and not a proxy for somebody else. ``Gate`` decides.
    var isLocal = true

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Whether the connection comes from this machine.
    var isFromLoopback: Bool { channel.remoteAddress?.isLoopback == true }
}

/// What somebody may do with a node over HTTP.
enum Access: Sendable {
    /// Only look.
    case view
    /// Press, start and take, too.
    case control
}
