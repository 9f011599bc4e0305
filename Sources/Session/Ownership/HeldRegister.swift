// SPDX-License-Identifier: Apache-2.0

/// A register of another node, and where its anchor lies on this node's boot clock.
struct HeldRegister: Hashable, Sendable {
    let register: Register
    /// What is compared with each message, so that the register stays untouched.
    let version: Version
    let stamp: Stamp
    let owner: NodeID
    let anchor: Anchor
    /// The owner's boot clock beyond this node's.
    private(set) var offset: Int64
    /// Whether the two clocks were compared; otherwise the offset follows from group time.
    private(set) var isMeasured = false
    /// By how many milliseconds group time was off at most when the offset was made of it and of this very anchor; `nil`
    /// where nobody vouched for it, or it was another anchor.
    private(set) var placedWithin: Int64?
    /// Whether its stamp is near enough to group time to count.
    private(set) var isAdmitted: Bool
    /// When it will be, on the boot clock, if time alone can bring that about.
    private(set) var admissibleAt: Int64?

    /// Where the anchor lies on this node's boot clock.
    var anchorBoot: Int64 { anchor.boot - offset }

    /// What was admitted stays so, however the clocks waver: a session does not vanish in the middle.
    /// - Parameter bound: By how many milliseconds group time is off at most; `nil` where nobody vouches for it.
    init(
        _ register: Register, after known: HeldRegister?, measured: Int64?, groupTime: Int64, bound: Int64?, boot: Int64
    ) {
        self.register = register
        version = register.version
        stamp = register.stamp
        owner = register.owner
        anchor = register.anchor
        offset = register.anchor.boot - (boot - (groupTime - register.anchor.at))
        placedWithin = bound
        isAdmitted = false
        // A boot that was placed once moves with the owner's boot clock: a step of a wall clock does not touch a
        // running countdown.
        let isSame = known.map { $0.isMeasured || $0.register.id == register.id } ?? false
        if let known, isSame, known.anchor.bootID == register.anchor.bootID {
            offset = known.offset
            isMeasured = known.isMeasured
            placedWithin = known.anchor == register.anchor ? known.placedWithin : nil
        }
        if let measured { measure(measured) }
        admit(groupTime: groupTime, boot: boot)
        if known?.isAdmitted == true, known?.stamp == register.stamp { admitAnyway() }
    }

    /// The same register after group time was corrected: judged as if it had just come. What was placed by a clock that
    /// was vouched for is not moved by one that is not.
    init(_ known: HeldRegister, groupTime: Int64, bound: Int64?, boot: Int64) {
        self = known
        if !isMeasured, bound != nil || placedWithin == nil {
            offset = anchor.boot - (boot - (groupTime - anchor.at))
            placedWithin = bound
        }
        admit(groupTime: groupTime, boot: boot)
    }

    /// Whatever group time says.
    mutating func admitAnyway() {
        isAdmitted = true
        admissibleAt = nil
    }

    private mutating func admit(groupTime: Int64, boot: Int64) {
        isAdmitted = Self.admits(stamp, groupTime: groupTime)
        let lead = stamp.time - groupTime - Limits.stampLead
        admissibleAt = !isAdmitted && lead > 0 ? boot + lead : nil
    }

    /// Takes over what a comparison of the clocks says.
    /// - Returns: Whether anything changed.
    @discardableResult
    mutating func measure(_ measured: Int64) -> Bool {
        guard !isMeasured || abs(measured - offset) > 1 else { return false }
        offset = measured
        isMeasured = true
        return true
    }

    func isAtLeast(_ other: HeldRegister?) -> Bool {
        guard let other else { return true }
        return stamp >= other.stamp
    }
}
