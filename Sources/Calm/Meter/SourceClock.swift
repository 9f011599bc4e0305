// SPDX-License-Identifier: Apache-2.0

import Session

/// The conversion of a node's boot clock to this machine's, from the arrival times of its messages. No message arrives
/// before it is sent, so the fastest message gives the best estimate of the offset between the two.
struct SourceClock: Hashable, Sendable {
    private var bootID: BootID?
    /// The estimate of this machine's clock minus the node's; `nil` before the first message.
    private var offset: Milliseconds?
    /// When the estimate was made, on this machine's boot clock.
    private var at: BootTime = 0

    /// Returns when a message was sent, on this machine's boot clock; not after `now`. `sent` is a time of the sender's
    /// boot clock; a new `bootID` resets the estimate.
    mutating func place(sent: BootTime, bootID: BootID?, at now: BootTime) -> BootTime {
        var found = now - sent
        if bootID == self.bootID, let offset {
            found = min(found, offset + (now - at) / (1_000 * ClockEstimate.driftInterval.count))
        }
        (self.bootID, offset, at) = (bootID, found, now)
        return sent + found
    }
}
