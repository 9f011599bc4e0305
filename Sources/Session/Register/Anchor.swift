// SPDX-License-Identifier: Apache-2.0

/// The instant from which a phase's time is counted.
public struct Anchor: Hashable, Sendable {
    /// The time of the current phase that had passed, from 0 to its length.
    public var elapsed: Milliseconds
    /// The time that had passed beyond that length, from 0 to ``Limits/overtime``.
    public var over: Milliseconds
    public var at: GroupTime
    /// The largest error of ``at``, within ``Limits/bound``; `nil` if no kernel vouched for it.
    public var bound: Milliseconds?
    /// The boot of the owner's machine in which ``boot`` was read.
    public var bootID: BootID
    /// The instant on the owner's boot clock, within ``Limits/reading``.
    public var boot: BootTime

    /// The caller must read both clocks at one instant.
    public init(
        elapsed: Milliseconds, over: Milliseconds = 0, at: GroupTime, bound: Milliseconds? = nil, bootID: BootID,
        boot: BootTime
    ) {
        self.elapsed = elapsed
        self.over = over
        self.at = at
        self.bound = bound
        self.bootID = bootID
        self.boot = boot
    }

    /// The time of the current phase that had passed, with the time beyond its length.
    package var passed: Milliseconds { elapsed + over }

    /// Sets the time that had passed in a phase of this length.
    mutating func pass(_ passed: Milliseconds, of length: Milliseconds) {
        elapsed = min(passed, length)
        over = passed - elapsed
    }
}
