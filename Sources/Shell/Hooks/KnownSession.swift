// SPDX-License-Identifier: Apache-2.0

import Session

/// What was told of one session and of all that continued it.
struct KnownSession: Codable, Hashable, Sendable {
    /// The first session of the chain of takeovers.
    let lineage: String
    /// Its start, in milliseconds of group time.
    let startedAt: Int64
    /// The session that was shown last.
    private(set) var session: String
    /// Whether this node owned it.
    private(set) var isOwn: Bool
    /// The largest index of a phase that was told.
    private(set) var phase = 0
    /// Whether it was told that there is no contact with the owner.
    var isStale = false
    private var statusName = Status.running.rawValue
    private var stampTime: Int64
    private var stampCounter: Int
    private var stampNode: String
    private var epoch: Int
    private var rev: Int

    /// A session of which nothing was told but its start.
    init(_ register: Register, isOwn: Bool) {
        lineage = register.lineage.rawValue
        startedAt = register.startedAt
        session = register.id.rawValue
        self.isOwn = isOwn
        stampTime = register.stamp.time
        stampCounter = register.stamp.counter
        stampNode = register.stamp.node.rawValue
        epoch = register.epoch
        rev = register.rev
    }

    /// Where it stood when it was shown last; an unknown word stands for one that ended.
    var status: Status {
        get { Status(rawValue: statusName) ?? .stopped }
        set { statusName = newValue.rawValue }
    }

    /// Whether it came to an end of its own. A session that a later start ended can come back, when that start turns
    /// out not to count.
    var isOver: Bool { status == .completed || status == .stopped }

    /// Whether a register of this lineage is not older than what was seen already: a node that starts shows its own
    /// journal until it hears what has become of it.
    func isNews(_ register: Register) -> Bool {
        if register.id.rawValue == session {
            return register.version >= Version(epoch: epoch, rev: rev)
        }
        let stamp = register.stamp
        return (stamp.time, stamp.counter, stamp.node.rawValue) > (stampTime, stampCounter, stampNode)
    }

    /// Whether a register of this lineage continues what was shown last.
    func isTakeover(_ register: Register) -> Bool { register.id.rawValue != session }

    /// The register is the one that counts from here on.
    mutating func follow(_ register: Register, isOwn: Bool) {
        session = register.id.rawValue
        self.isOwn = isOwn
        stampTime = register.stamp.time
        stampCounter = register.stamp.counter
        stampNode = register.stamp.node.rawValue
        epoch = register.epoch
        rev = register.rev
    }

    /// What the register shows needs not be told any more. A phase that was told once is not told again, although the
    /// owner may have made the one before it longer at the last moment.
    mutating func take(_ register: Register) {
        phase = max(phase, register.phase)
        if !isOver { status = register.status }
    }
}
