// SPDX-License-Identifier: Apache-2.0

/// The timeouts and intervals of the HTTP server. Slow and idle clients are disconnected.
struct Timeouts: Sendable {
    /// The timeout for a complete request head, from the connection or the last response on. Single bytes do not extend
    /// it.
    var idle = Duration.seconds(30)
    /// The timeout for a complete request body, after its head.
    var body = Duration.seconds(10)
    /// The timeout for a page whose socket accepts no data; checked at each ``beat``.
    var stalled = Duration.seconds(30)
    /// The interval between attempts to bind the address.
    var bind = Duration.seconds(2)
    /// The interval between heartbeats to a page.
    var beat = Duration.seconds(10)
}
