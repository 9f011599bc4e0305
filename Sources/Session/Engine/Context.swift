// SPDX-License-Identifier: Apache-2.0

/// The clocks and the identity that the parts of an engine read while one input is handled. It is made for each
/// input or rest, and again where group time changes meanwhile: with its source, its mark, or the known clocks.
struct Context {
    let node: NodeID
    let bootID: BootID
    let now: Instant
    let source: TimeSource
    /// Whether every vouched clock that is to be asked has answered or counts as silent.
    let areClocksKnown: Bool
    let groupTime: GroupTime

    /// The largest error of group time; `nil` if this machine's kernel does not vouch for it.
    var bound: Milliseconds? { source == .own ? now.wallBound.map { min($0, Limits.bound.upperBound) } : nil }
    /// Whether dates are final: this machine's kernel vouches for its clock, or others do and ``areClocksKnown`` holds.
    var areDatesFinal: Bool { source == .own || source == .others && areClocksKnown }

    /// The quality of this machine's wall clock.
    var clockQuality: ClockQuality {
        ClockQuality(
            isSynced: now.wallBound != nil, bound: now.wallBound.map { min($0, Limits.bound.upperBound) },
            isWrong: GroupClock.contradict(now.told, groupTime))
    }

    /// Whether a stamp counts.
    ///
    /// If a vouched clock tells group time, a stamp counts up to ``Limits/stampLead`` ahead of that time. So does the
    /// stamp of another node while a vouched clock may still become known. In all other cases each plausible stamp
    /// counts.
    func admits(_ stamp: Stamp, lead: Milliseconds = 0) -> Bool {
        // rule: admission, else: return true
        let isJudged = source.isVouched || !areClocksKnown && stamp.node != node  // rule: vouchedAdmission, else: true
        return isJudged ? stamp.isAdmissible(at: groupTime + lead) : stamp.isPlausible(at: groupTime + lead)
    }

    /// Whether a mark is so far ahead of a vouched time that no stamp above it would count.
    func isAhead(_ mark: HybridClock) -> Bool {
        return source.isVouched  // rule: vouchedAdmission
            && mark.time > groupTime + Limits.stampLead
    }
}
