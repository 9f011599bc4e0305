// SPDX-License-Identifier: Apache-2.0

import Session

/// The reported state of one session and of its continuations.
struct KnownSession: Codable, Hashable, Sendable {
    /// The first session of the chain of takeovers.
    let lineage: SessionID
    let startedAt: GroupTime
    /// The last shown session of the lineage.
    private(set) var session: SessionID
    private(set) var isOwn: Bool
    /// The largest reported phase.
    private(set) var phase = 0
    /// Whether lost contact with the owner was reported.
    var isStale = false
    /// When the last alarm began.
    var alarm: GroupTime?
    var status = Status.running
    private var stamp: Stamp
    private var version: Version

    /// Creates the state of a session of which only the start was reported.
    init(_ register: Register, isOwn: Bool) {
        lineage = register.lineage
        startedAt = register.startedAt
        session = register.id
        self.isOwn = isOwn
        stamp = register.stamp
        version = register.version
    }

    /// Whether it was completed or stopped. A superseded session can come back, if the later start proves invalid.
    var hasEnded: Bool { status == .completed || status == .stopped }

    /// Returns whether a register of this lineage is not older than the last one. A node that starts shows its own
    /// journal until it has received the present registers.
    func isNews(_ register: Register) -> Bool {
        register.id == session ? register.version >= version : register.stamp > stamp
    }

    mutating func show(_ register: Register, isOwn: Bool) {
        session = register.id
        self.isOwn = isOwn
        stamp = register.stamp
        version = register.version
    }

    /// Marks what the register shows as reported. So a phase is reported once, even if the one before is extended.
    mutating func markReported(_ register: Register) {
        phase = max(phase, register.phase)
        if !hasEnded { status = register.status }
    }
}
