// SPDX-License-Identifier: Apache-2.0

extension Register {
    /// The first field that is out of bounds or contradicts the others; `nil` if the register is valid. The engine
    /// relies on it: no index, sum or division of a valid register traps.
    public var invalidField: String? { fieldOutOfBounds ?? contradiction }

    /// The first field that contradicts the others, each of which must be within its bounds, as a payload's are.
    package var contradiction: String? {
        if plan.contains(where: { !$0.isConsistent }) || plan.count(where: { $0.added > 0 }) > Limits.extended {
            return "plan"
        }
        if mode == .countup, plan.count != 1 || status == .ready { return "mode" }
        if stamp.node != owner { return "stamp" }
        if !plan.indices.contains(phase) { return "phase" }
        if anchor.elapsed > currentPhase.length { return "anchor" }
        if anchor.over > 0, !mayRunOver || anchor.elapsed < currentPhase.length { return "anchor" }
        if !runs.areConsistent(lastMayBeOpen: status == .running)
            || runs.contains(where: { !plan.indices.contains($0.phase) })
        {
            return "runs"
        }
        return nil
    }

    private var fieldOutOfBounds: String? {
        if let text = SessionText.invalid(title: title, icon: icon, label: label) { return text.rawValue }
        if !(1...Limits.phases).contains(plan.count) || !plan.allSatisfy(\.isWithinBounds) { return "plan" }
        if !Limits.counter.contains(epoch) { return "epoch" }
        if !stamp.isWithinBounds { return "stamp" }
        if !Limits.time.contains(startedAt) { return "startedAt" }
        if let continues, !continues.isWithinBounds { return "continues" }
        if !Limits.counter.contains(rev) { return "rev" }
        if !Limits.time.contains(anchor.at) || !Limits.reading.contains(anchor.boot)
            || !Limits.bound.contains(anchor.bound ?? 0) || anchor.elapsed < 0
            || !(0...Limits.overtime).contains(anchor.over)
        {
            return "anchor"
        }
        if !runs.areWithinBounds { return "runs" }
        if applied.count > Limits.applied { return "applied" }
        if let last, !Limits.time.contains(last.at) { return "last" }
        if let supersededBy, !Limits.time.contains(supersededBy.at) { return "supersededBy" }
        return nil
    }
}

/// A text of a session that a person chooses.
public enum SessionText: String, Sendable {
    case title, icon, label

    public var bytes: Int {
        switch self {
        case .title: Limits.titleBytes
        case .icon: Limits.iconBytes
        case .label: Limits.nameBytes
        }
    }

    /// Returns whether `text` is clean and not too long. Only a title may be empty.
    public func accepts(_ text: String) -> Bool {
        self == .title && text.isEmpty || CleanText.accepts(text, bytes: bytes)
    }

    static func invalid(title: String, icon: String?, label: Label?) -> SessionText? {
        let texts: [(SessionText, String?)] = [(.title, title), (.icon, icon), (.label, label?.name)]
        return texts.first { kind, text in text.map { !kind.accepts($0) } ?? false }?.0
    }
}

/// A time with a beginning, and an end unless it is still open.
protocol Interval {
    var from: GroupTime { get }
    var to: GroupTime? { get }
}

extension Run: Interval {}

extension LedgerRecord.Run: Interval {}

extension Array where Element: Interval {
    var areWithinBounds: Bool {
        count <= Limits.runs && allSatisfy { Limits.time.contains($0.from) && Limits.time.contains($0.to ?? 0) }
    }

    /// Returns whether each ends at or after its beginning, and only the last is open, if it may be.
    func areConsistent(lastMayBeOpen: Bool) -> Bool {
        indices.allSatisfy { index in
            guard let to = self[index].to else { return lastMayBeOpen && index == count - 1 }
            return to >= self[index].from
        }
    }
}

extension Stamp {
    var isWithinBounds: Bool { Limits.counter.contains(counter) && Limits.time.contains(time) }
}

extension Continuation {
    fileprivate var isWithinBounds: Bool {
        Limits.counter.contains(epoch) && Limits.counter.contains(rev) && Limits.time.contains(at)
    }
}
