// SPDX-License-Identifier: Apache-2.0

/// The lengths that a session falls back to when a person asks for a phase that its plan does not hold.
public struct PhaseDefaults: Hashable, Sendable {
    /// Seconds of a short break.
    public var shortBreak: Int
    /// Seconds of a long break.
    public var longBreak: Int
    /// Every so many focus phases the break put in is a long one; 0 for never.
    public var longBreakEvery: Int
    /// Seconds of a focus phase.
    public var focus: Int
    /// Seconds after which a count-up session ends by itself.
    public var countUpCap: Int

    /// Goodtime's defaults.
    public init(
        shortBreak: Int = 300, longBreak: Int = 900, longBreakEvery: Int = 4, focus: Int = 1_500,
        countUpCap: Int = 54_000
    ) {
        self.shortBreak = shortBreak
        self.longBreak = longBreak
        self.longBreakEvery = longBreakEvery
        self.focus = focus
        self.countUpCap = countUpCap
    }
}

extension Register {
    /// Does to this register, whose anchor is at the present instant, what is asked. Revision, applied ids and the last
    /// intent are the caller's to set.
    /// - Returns: `.applied`, or another outcome; the register is of no use then.
    mutating func perform(_ operation: Operation, defaults: PhaseDefaults) -> Outcome {
        guard status.isLive else {
            if status == .superseded { return .refused(.superseded) }
            return operation == .stop ? .noop : .refused(.notAllowed)
        }
        switch operation {
        case .pause: return pause()
        case .resume: return resume()
        case .stop:
            closeRun(at: anchor.at)
            status = .stopped
            return .applied
        case .extend(let seconds): return extend(by: seconds)
        case .startBreak: return change(toBreak: true, defaults: defaults)
        case .startFocus: return change(toBreak: false, defaults: defaults)
        case .skip: return skip()
        }
    }

    private mutating func pause() -> Outcome {
        switch status {
        case .running:
            closeRun(at: anchor.at)
            status = .paused
            return .applied
        case .paused: return .noop
        default: return .refused(.notAllowed)
        }
    }

    private mutating func resume() -> Outcome {
        switch status {
        case .paused:
            status = .running
            openRun()
            return .applied
        case .running: return .noop
        default: return .refused(.notAllowed)
        }
    }

    private mutating func extend(by seconds: Int) -> Outcome {
        guard Limits.phaseSeconds.contains(seconds) else { return .refused(.invalid) }
        guard mode == .countdown, status != .ready else { return .refused(.notAllowed) }
        guard Limits.phaseSeconds.contains(currentPhase.seconds + seconds) else { return .refused(.invalid) }
        plan[phase].seconds += seconds
        remember(added: seconds)
        return .applied
    }

    /// Keeps what an extension added, for ``breakPhase(_:)`` and ``focusPhase(_:)``: of the last phase that is no break,
    /// and of the first break of each kind. These are at most ``Limits/extended``.
    private mutating func remember(added seconds: Int) {
        let kind = currentPhase.kind
        if kind.isBreak {
            guard plan.firstIndex(where: { $0.kind == kind }) == phase else { return }
        } else {
            for index in 0..<phase where !plan[index].kind.isBreak && plan[index].added > 0 { plan[index].added = 0 }
        }
        plan[phase].added += seconds
    }

    private mutating func skip() -> Outcome {
        guard mode == .countdown else { return .refused(.notAllowed) }
        closeRun(at: anchor.at)
        guard phase + 1 < plan.count else {
            status = .completed
            return .applied
        }
        let waits = status == .ready
        enterPhase(phase + 1)
        if waits {
            status = .ready
        } else {
            openRun()
        }
        return .applied
    }

    /// Starts the break, or the focus phase, that a person asked for: the next one of the plan if it is of that sort,
    /// otherwise one put in behind the current phase.
    private mutating func change(toBreak: Bool, defaults: PhaseDefaults) -> Outcome {
        guard mode == .countdown else { return .refused(.notAllowed) }
        if status == .ready {
            guard currentPhase.kind.isBreak == toBreak else { return .refused(.notAllowed) }
            enterPhase(phase)
            openRun()
            return .applied
        }
        guard currentPhase.kind.isBreak != toBreak else { return .noop }
        if phase + 1 >= plan.count || plan[phase + 1].kind.isBreak != toBreak {
            guard plan.count < Limits.phases else { return .refused(.notAllowed) }
            let inserted = toBreak ? breakPhase(defaults) : focusPhase(defaults)
            guard inserted.isValid else { return .refused(.notAllowed) }
            plan.insert(inserted, at: phase + 1)
            for index in runs.indices where runs[index].phase > phase { runs[index].phase += 1 }
        }
        closeRun(at: anchor.at)
        enterPhase(phase + 1)
        openRun()
        return .applied
    }

    private mutating func enterPhase(_ index: Int) {
        phase = index
        anchor.elapsed = 0
        status = .running
    }

    /// Goodtime's rule: every so many focus phases the break is a long one. A workout rests as its plan says.
    private func breakPhase(_ defaults: PhaseDefaults) -> Phase {
        if currentPhase.kind == .work, let rest = plan.first(where: { $0.kind == .rest }) {
            return rest.unextended
        }
        let done = plan[...phase].count { !$0.kind.isBreak }
        let isLong = defaults.longBreakEvery > 0 && done % defaults.longBreakEvery == 0
        let kind: PhaseKind = isLong ? .longBreak : .shortBreak
        let seconds = isLong ? defaults.longBreak : defaults.shortBreak
        return plan.first { $0.kind == kind }?.unextended ?? Phase(kind: kind, seconds: seconds)
    }

    private func focusPhase(_ defaults: PhaseDefaults) -> Phase {
        plan[...phase].last { !$0.kind.isBreak }?.unextended ?? Phase(kind: .focus, seconds: defaults.focus)
    }
}
