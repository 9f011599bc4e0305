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

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Whether the connection comes from this machine.
    var isLocal: Bool {
        guard let address = channel.remoteAddress else { return false }
        guard let text = address.ipAddress else { return true }
        return text == "::1" || text.hasPrefix("127.") || text.hasPrefix("::ffff:127.")
    }
}

/// What somebody may do with a node over HTTP.
enum Access: Sendable {
    /// Only look.
    case view
    /// Press, start and take, too.
    case control
}
