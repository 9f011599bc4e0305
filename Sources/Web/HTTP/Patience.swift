// SPDX-License-Identifier: Apache-2.0

/// For how long the server waits for whoever is on the other end. What does not keep up is dropped: a connection more or
/// less means nothing to the session.
struct Patience: Sendable {
    /// For a whole head of a request, from the connection or the last answer on. Single bytes do not count.
    var idle = Duration.seconds(30)
    /// For the whole body of a request, after its head.
    var body = Duration.seconds(10)
    /// For a page that does not take in what it is told; looked at with each ``beat``.
    var stalled = Duration.seconds(30)
    /// Until an address that cannot be listened on is tried again.
    var bind = Duration.seconds(2)
    /// How often a page is told that its node is still there.
    var beat = Duration.seconds(10)
}
