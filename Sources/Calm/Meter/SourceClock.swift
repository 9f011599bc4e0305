// SPDX-License-Identifier: Apache-2.0

public import Session

/// Where a node's samples belong on this machine's boot clock, though its own clocks may stand anywhere.
///
/// No message arrives before it is sent, so the quickest of them tells best how the two boot clocks stand to each other.
public struct SourceClock: Hashable, Sendable {
    /// Two clocks drift apart by so much at most: one millisecond in five seconds.
    private static let drift: Int64 = 5_000

    private var bootID: BootID?
    private var lead = Int64.max
    private var at: Int64 = 0

    /// A clock of which nothing is known.
    public init() {}

    /// When a message was sent, on this machine's boot clock; not after `now`.
    /// - Parameters:
    ///   - sent: The sender's boot clock.
    ///   - bootID: The sender's boot; after another one nothing is known of its clock.
    ///   - now: When it arrived.
    public mutating func place(sent: Int64, bootID: BootID?, at now: Int64) -> Int64 {
        let found = now - sent
        if bootID != self.bootID || lead == .max {
            lead = found
        } else {
            lead = min(found, lead + (now - at) / Self.drift)
        }
        self.bootID = bootID
        at = now
        return sent + lead
    }
}
