// SPDX-License-Identifier: Apache-2.0

/// A register of another node, and the position of its anchor on this node's boot clock.
struct HeldRegister: Hashable, Sendable {
    let register: Register
    /// The owner's boot clock minus this node's.
    private(set) var offset: Milliseconds
    /// Whether the offset was measured; otherwise it follows from group time.
    private(set) var isMeasured = false
    /// The largest error of group time when the offset was computed. `nil` if this machine's kernel did not vouch for
    /// that time, or if the offset is from another anchor.
    private(set) var positionError: Milliseconds?
    /// Whether its stamp is near enough to group time to count.
    private(set) var isAdmitted: Bool
    /// When its stamp begins to count; `nil` if it counts already or never will.
    private(set) var admissibleAt: BootTime?

    var version: Version { register.version }
    var stamp: Stamp { register.stamp }
    var owner: NodeID { register.owner }
    var anchor: Anchor { register.anchor }
    var anchorBoot: BootTime { anchor.boot - offset }

    /// Places a received register on this node's boot clock. An admitted stamp stays admitted, so that a session does
    /// not vanish when clocks waver.
    init(_ register: Register, after known: HeldRegister?, measured: Milliseconds?, _ context: Context) {
        self.register = register
        offset = Self.offset(of: register.anchor, context)
        positionError = context.bound
        isAdmitted = false
        // The offset of a known boot stays, so that a step of a wall clock does not move a running countdown.
        let isSame = known.map { $0.isMeasured || $0.register.id == register.id } ?? false
        if let known, isSame, known.anchor.bootID == register.anchor.bootID {
            offset = known.offset
            isMeasured = known.isMeasured
            positionError = known.anchor == register.anchor ? known.positionError : nil
        }
        if let measured { measure(measured) }
        admit(context)
        if known?.isAdmitted == true, known?.stamp == register.stamp { admitAnyway() }
    }

    /// Returns the register judged again, after group time was corrected. An offset from a time for which this
    /// machine's kernel vouched is kept while it does not vouch any more.
    func judgedAgain(_ context: Context) -> HeldRegister {
        var again = self
        if !isMeasured, context.bound != nil || positionError == nil {
            again.offset = Self.offset(of: anchor, context)
            again.positionError = context.bound
        }
        again.admit(context)
        return again
    }

    /// The owner's boot clock minus this node's, by group time alone.
    private static func offset(of anchor: Anchor, _ context: Context) -> Milliseconds {
        anchor.boot - (context.now.boot - (context.groupTime - anchor.at))
    }

    /// Admits the register although its stamp may be ahead of group time, because it was admitted before.
    mutating func admitAnyway() {
        isAdmitted = true
        admissibleAt = nil
    }

    private mutating func admit(_ context: Context) {
        isAdmitted = context.admits(stamp)
        let wait = isAdmitted ? nil : stamp.admissibleFrom.map { $0 - context.groupTime }
        admissibleAt = wait.map { context.now.boot + $0 }
    }

    /// Adopts a measured offset, and returns whether anything changed.
    @discardableResult
    mutating func measure(_ measured: Milliseconds) -> Bool {
        guard !isMeasured || (measured - offset).magnitude > 1 else { return false }
        offset = measured
        isMeasured = true
        return true
    }

    func isAtLeast(_ other: HeldRegister?) -> Bool {
        guard let other else { return true }
        return stamp >= other.stamp
    }
}
