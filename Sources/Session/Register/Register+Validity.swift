// SPDX-License-Identifier: Apache-2.0

extension Register {
    /// The first field that is out of bounds or contradicts the others; `nil` if the register is valid.
    ///
    /// The engine relies on it: no index, sum or division of a valid register traps.
    public var invalidField: String? {
        if let text = SessionText.invalid(title: title, icon: icon, label: label) { return text.rawValue }
        if !(1...Limits.phases).contains(plan.count) || !plan.allSatisfy(\.isValid) { return "plan" }
        if plan.count(where: { $0.added > 0 }) > Limits.extended { return "plan" }
        if mode == .countup, plan.count != 1 { return "mode" }
        if !Limits.counter.contains(epoch) { return "epoch" }
        if !Limits.counter.contains(stamp.counter) || !Limits.time.contains(stamp.time) || stamp.node != owner {
            return "stamp"
        }
        if !Limits.time.contains(startedAt) { return "startedAt" }
        if let continues, !continues.isValid { return "continues" }
        if mode == .countup, status == .ready { return "mode" }
        if !plan.indices.contains(phase) { return "phase" }
        if !Limits.counter.contains(rev) { return "rev" }
        if !Limits.time.contains(anchor.at) || !Limits.reading.contains(anchor.boot)
            || !Limits.reading.contains(anchor.bound ?? 0)
            || !(0...currentPhase.length).contains(anchor.elapsed)
        {
            return "anchor"
        }
        if !areRunsValid { return "runs" }
        if applied.count > Limits.applied { return "applied" }
        if let last, !Limits.time.contains(last.at) { return "last" }
        if let supersededBy, !Limits.time.contains(supersededBy.at) { return "supersededBy" }
        return nil
    }

    private var areRunsValid: Bool {
        runs.allSatisfy { plan.indices.contains($0.phase) }
            && Limits.accepts(runs: runs.map { ($0.from, $0.to) }, isOpen: status == .running)
    }
}

/// A text of a session that a person chooses.
public enum SessionText: String, Sendable {
    case title, icon, label

    /// The most bytes in UTF-8.
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

    /// The first text that is out of bounds; `nil` if there is none.
    static func invalid(title: String, icon: String?, label: Label?) -> SessionText? {
        let texts: [(SessionText, String?)] = [(.title, title), (.icon, icon), (.label, label?.name)]
        return texts.first { kind, text in text.map { !kind.accepts($0) } ?? false }?.0
    }
}

extension Limits {
    /// Whether runs have valid times, and only the last is open, if one may be.
    static func accepts(runs times: [(from: Int64, to: Int64?)], isOpen: Bool) -> Bool {
        times.count <= runs
            && times.enumerated().allSatisfy { index, run in
                guard time.contains(run.from) else { return false }
                guard let to = run.to else { return isOpen && index == times.count - 1 }
                return time.contains(to) && to >= run.from
            }
    }
}

extension Continuation {
    fileprivate var isValid: Bool {
        Limits.counter.contains(epoch) && Limits.counter.contains(rev) && Limits.time.contains(at)
    }
}
