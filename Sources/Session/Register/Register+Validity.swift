// SPDX-License-Identifier: Apache-2.0

extension Register {
    /// Why the fields are out of bounds or do not fit together; `nil` when they do.
    ///
    /// The engine trusts what passed here: no index, sum or division of it can trap.
    public var flaw: String? { attributesFlaw ?? stateFlaw }

    private var attributesFlaw: String? {
        if !title.isEmpty, !CleanText.accepts(title, bytes: Limits.titleBytes) { return "title" }
        if let icon, !CleanText.accepts(icon, bytes: Limits.iconBytes) { return "icon" }
        if let label, !CleanText.accepts(label.name, bytes: Limits.nameBytes) { return "label" }
        if !(1...Limits.phases).contains(plan.count) || !plan.allSatisfy(\.isValid) { return "plan" }
        if plan.count(where: { $0.added > 0 }) > Limits.extended { return "plan" }
        if mode == .countup, plan.count != 1 { return "mode" }
        if !Limits.counter.contains(epoch) { return "epoch" }
        if !Limits.counter.contains(stamp.counter) || !Limits.time.contains(stamp.time) || stamp.node != owner {
            return "stamp"
        }
        if !Limits.time.contains(startedAt) { return "startedAt" }
        if let continues, !continues.isValid { return "continues" }
        return nil
    }

    /// The same, where the attributes are those of a register that has no flaw.
    public var stateFlaw: String? {
        if mode == .countup, status == .ready { return "mode" }
        if !plan.indices.contains(phase) { return "phase" }
        if !Limits.counter.contains(rev) { return "rev" }
        if !Limits.time.contains(anchor.at) || !Limits.reading.contains(anchor.boot)
            || !Limits.reading.contains(anchor.bound ?? 0)
            || !(0...currentPhase.length).contains(anchor.elapsed)
        {
            return "anchor"
        }
        if !runsFit { return "runs" }
        if applied.count > Limits.applied { return "applied" }
        if let last, !Limits.time.contains(last.at) { return "last" }
        if let supersededBy, !Limits.time.contains(supersededBy.at) { return "supersededBy" }
        return nil
    }

    private var runsFit: Bool {
        guard runs.count <= Limits.runs else { return false }
        for (index, run) in runs.enumerated() {
            guard plan.indices.contains(run.phase), Limits.time.contains(run.from) else { return false }
            if let to = run.to {
                guard Limits.time.contains(to), to >= run.from else { return false }
            } else if index != runs.count - 1 || status != .running {
                return false
            }
        }
        return true
    }
}

extension Continuation {
    fileprivate var isValid: Bool {
        Limits.counter.contains(epoch) && Limits.counter.contains(rev) && Limits.time.contains(at)
    }
}
