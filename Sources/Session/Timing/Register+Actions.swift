// SPDX-License-Identifier: Apache-2.0

extension Register {
    /// Carries out an intent on this register, whose anchor must be at the present instant. The caller discards the
    /// register unless the outcome is `.applied`.
    mutating func carryOut(_ intent: Intent, defaults: SessionDefaults) -> IntentOutcome {
        if let reason = phaseRefusal(of: intent) { return .refused(reason) }  // rule: phaseFence
        let outcome = perform(intent.operation, defaults: defaults)
        if outcome == .applied { applied.append(intent.id, limit: Limits.applied) }
        return outcome
    }

    /// The reason to refuse an intent that was meant for another phase of this session. A person who presses "Start
    /// break" while the phase changes must not end the break that has just started. The other operations do the same in
    /// each phase, so for them a phase only has to be a possible one.
    private func phaseRefusal(of intent: Intent) -> Refusal? {
        guard status.isLive else { return nil }
        let isFenced = intent.operation.isFencedByPhase
        guard let asked = intent.phase else { return isFenced ? .invalid : nil }
        guard (0..<Limits.phases).contains(asked) else { return .invalid }
        return isFenced && asked != phase ? .stalePhase : nil
    }

    /// Performs an operation. The caller must set revision, applied ids and the last intent.
    mutating func perform(_ operation: IntentOperation, defaults: SessionDefaults) -> IntentOutcome {
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
        case .correct(let title, let label, let colour): return correct(title: title, label: label, colour: colour)
        }
    }

    private mutating func pause() -> IntentOutcome {
        switch status {
        case .running:
            closeRun(at: anchor.at)
            status = .paused
            return .applied
        case .paused: return .noop
        default: return .refused(.notAllowed)
        }
    }

    private mutating func resume() -> IntentOutcome {
        switch status {
        case .paused:
            status = .running
            openRun()
            return .applied
        case .running: return .noop
        default: return .refused(.notAllowed)
        }
    }

    private mutating func extend(by seconds: Int) -> IntentOutcome {
        guard mode == .countdown, status != .ready else { return .refused(.notAllowed) }
        let day = Limits.phaseSeconds.upperBound
        guard seconds != 0, (-day...day).contains(seconds),
            Limits.phaseSeconds.contains(currentPhase.seconds + seconds)
        else { return .refused(.invalid) }
        plan[phase].seconds += seconds
        if seconds < 0, currentPhase.length <= anchor.passed {  // rule: lessTime
            return .refused(.invalid)
        }
        remember(added: seconds)
        anchor.pass(anchor.passed, of: currentPhase.length)
        return .applied
    }

    /// Remembers the added seconds of phases that ``breakPhase(_:)`` and ``focusPhase(_:)`` may copy. These are the
    /// last phase that is no break, and the first break of each kind: at most ``Limits/extended``.
    private mutating func remember(added seconds: Int) {
        let kind = currentPhase.kind
        if kind.isBreak {
            guard plan.firstIndex(where: { $0.kind == kind }) == phase else { return }
        } else {
            for index in 0..<phase where !plan[index].kind.isBreak && plan[index].added > 0 { plan[index].added = 0 }
        }
        plan[phase].added = max(0, plan[phase].added + seconds)
    }

    /// Replaces title and label. A colour needs a label: the new one, or else the present one.
    private mutating func correct(title newTitle: String?, label name: String?, colour: Colour?) -> IntentOutcome {
        let title = newTitle.map(CleanText.trimmed) ?? title
        var label = label
        if let name {
            label = name.isEmpty ? nil : Label(name: CleanText.trimmed(name), colour: label?.colour ?? .grey)
        }
        if let colour { label?.colour = colour }
        let isEmpty = newTitle == nil && name == nil && colour == nil
        let isColourless = colour != nil && label == nil
        guard !isEmpty, !isColourless, SessionText.invalid(title: title, icon: nil, label: label) == nil else {
            return .refused(.invalid)
        }
        guard title != self.title || label != self.label else { return .noop }
        self.title = title
        self.label = label
        return .applied
    }

    private mutating func skip() -> IntentOutcome {
        guard mode == .countdown else { return .refused(.notAllowed) }
        closeRun(at: anchor.at)
        guard phase + 1 < plan.count else {
            status = .completed
            return .applied
        }
        let wasReady = status == .ready
        enterPhase(phase + 1)
        if wasReady {
            status = .ready
        } else {
            openRun()
        }
        return .applied
    }

    /// Starts the break, or the focus phase, that a person asked for. It is the next phase of the plan if that is of
    /// this kind, otherwise a phase inserted after the current one.
    private mutating func change(toBreak: Bool, defaults: SessionDefaults) -> IntentOutcome {
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
        anchor.pass(0, of: currentPhase.length)
        status = .running
    }

    /// Returns the break to insert: a long one after every ``SessionDefaults/longBreakEvery`` phases that are no
    /// breaks, which is Goodtime's rule. A workout rests as its plan says.
    private func breakPhase(_ defaults: SessionDefaults) -> Phase {
        if currentPhase.kind == .work, let rest = plan.first(where: { $0.kind == .rest }) {
            return rest.unextended
        }
        let done = plan[...phase].count { !$0.kind.isBreak }
        let isLong = defaults.longBreakEvery > 0 && done % defaults.longBreakEvery == 0
        let kind: PhaseKind = isLong ? .longBreak : .shortBreak
        let seconds = isLong ? defaults.longBreak : defaults.shortBreak
        return plan.first { $0.kind == kind }?.unextended ?? Phase(kind: kind, seconds: seconds)
    }

    private func focusPhase(_ defaults: SessionDefaults) -> Phase {
        plan[...phase].last { !$0.kind.isBreak }?.unextended ?? Phase(kind: .focus, seconds: defaults.focus)
    }
}
