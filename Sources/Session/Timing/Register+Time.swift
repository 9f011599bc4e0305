// SPDX-License-Identifier: Apache-2.0

extension Register {
    /// When the running phase ends; `nil` while no phase runs.
    var boundary: BootTime? {
        status == .running ? anchor.boot + untilEnd : nil
    }

    /// Whether the current phase may go on past its length.
    var mayRunOver: Bool {
        return hasOvertime && mode == .countdown  // rule: overtime, else: false
    }
    /// The time after which the current phase ends by itself: its length, and the longest time beyond.
    private var longest: Milliseconds { currentPhase.length + (mayRunOver ? Limits.overtime : 0) }
    /// The time from the anchor to the end of a running phase.
    package var untilEnd: Milliseconds { longest - anchor.passed }

    /// Returns the session after a time in which no person pressed anything. A countdown ends at its boundary; the next
    /// phase starts exactly there if ``autoAdvance`` is set, otherwise it waits in `ready`. A count-up session ends at
    /// its cap. Displays use this alone, so they agree although nothing is sent, however long the owner is gone.
    /// - Parameters:
    ///   - since: The time since the anchor.
    ///   - lateness: The longest time after an expiry at which the next phase still starts; `nil` for any. The
    ///     owner passes ``Limits/lateness``: after a longer absence the next phase waits in `ready`, as a new revision.
    /// - Returns: The same register before the first boundary; after one, the register anchored at the last boundary
    ///   crossed, with its runs cut there. Revision and stamp stay.
    public func advanced(since: Milliseconds, lateness: Milliseconds? = nil) -> Register {
        guard status == .running, since >= untilEnd else { return self }
        var register = self
        var since = since
        while register.status == .running {
            let left = register.untilEnd
            guard since >= left else { break }
            since -= left
            register.anchor.at += left
            register.anchor.boot += left
            register.anchor.pass(register.longest, of: register.currentPhase.length)
            register.closeRun(at: register.anchor.at)
            register.endPhase(startsNext: lateness.map { since <= $0 } ?? true)
        }
        return register
    }

    private mutating func endPhase(startsNext: Bool) {
        guard phase + 1 < plan.count else {
            status = .completed
            return
        }
        phase += 1
        anchor.pass(0, of: currentPhase.length)
        if autoAdvance, startsNext, !mayRunOver {
            openRun()
        } else {
            status = .ready
        }
    }

    /// Returns the time of the current phase that has passed `since` after the anchor. The result lies between the
    /// value at the anchor and the end of the phase, even if clocks have jumped.
    func passed(since: Milliseconds) -> Milliseconds {
        guard status == .running, since > 0 else { return anchor.passed }
        return min(anchor.passed + since, longest)
    }

    /// Returns the register with its anchor at the present instant of this node, `since` after its own anchor. The open
    /// run keeps its length, which the boot clock measured, and moves with group time if that was stepped.
    func anchored(since: Milliseconds? = nil, _ context: Context) -> Register {
        let since = since ?? context.now.boot - anchor.boot
        var register = self
        register.anchor = Anchor(
            elapsed: 0, at: context.groupTime, bound: context.bound, bootID: context.bootID, boot: context.now.boot)
        register.anchor.pass(passed(since: since), of: currentPhase.length)
        if let open = runs.last, open.to == nil {  // rule: runLength
            let length = anchor.at - open.from + register.anchor.passed - anchor.passed
            register.runs[runs.count - 1].from = max(context.groupTime - length, 0)
            register.separateOverlaps()
        }
        return register
    }

    /// Returns the session after a reboot, placed on the present boot clock of its machine by date.
    func rebased(_ context: Context) -> Register {
        let now = context.now
        let since = max(0, context.groupTime - anchor.at)
        var moved = advanced(since: since, lateness: Limits.lateness)
        let rest = since - (moved.anchor.at - anchor.at)
        // If the clock was set back, the anchor stays, because the other times of the session lie before it.
        let isBehind = context.groupTime < anchor.at
        if moved.status == .running, !isBehind { return moved.anchored(since: rest, context) }
        // No reading is from before the boot. Peers place the session by its anchor, one instant on both clocks.
        let ago = min(
            max(rest, 0), now.boot - Limits.reading.lowerBound, context.groupTime - Limits.time.lowerBound)
        moved.anchor.at = max(context.groupTime - ago, moved.anchor.at)
        moved.anchor.bound = isBehind ? nil : context.bound
        moved.anchor.bootID = context.bootID
        moved.anchor.boot = now.boot - ago
        return moved
    }

    /// Begins a run of the current phase at the anchor. Beyond ``Limits/runs`` the two oldest neighbouring runs of one
    /// phase become one. It begins where the first began and is as long as both, so the sum is exact. Example: 9:00 to
    /// 9:10 and 9:15 to 9:20 become 9:00 to 9:15.
    mutating func openRun() {
        runs.append(Run(phase: phase, from: anchor.at))
        separateOverlaps()
        if runs.count > Limits.runs { mergeOldestRuns() }
    }

    mutating func closeRun(at: GroupTime) {
        guard let open = runs.last, open.to == nil else { return }
        runs[runs.count - 1].to = max(at, open.from)
    }

    /// Moves earlier runs back until they do not overlap later ones, after group time was set back between them. Each
    /// keeps its length, which the boot clock measured, so that no minute counts twice and none is lost.
    mutating func separateOverlaps() {
        guard var limit = runs.last?.from else { return }
        for index in runs.indices.dropLast().reversed() {
            guard let to = runs[index].to, to > limit else { return }
            runs[index].from = max(runs[index].from - (to - limit), 0)
            runs[index].to = limit
            limit = runs[index].from
        }
    }

    private mutating func mergeOldestRuns() {
        for index in runs.indices.dropLast(2) where runs[index].phase == runs[index + 1].phase {
            guard let end = runs[index].to, let next = runs[index + 1].to else { continue }
            runs[index].to = end + (next - runs[index + 1].from)
            runs.remove(at: index + 1)
            return
        }
        runs.removeFirst()
    }
}

extension Register {
    /// Removes the time after `instant`, which a continuation of this session counts as its own.
    mutating func cutRuns(at instant: GroupTime) {
        runs.removeAll { $0.from >= instant }
        if let last = runs.indices.last, runs[last].to ?? instant >= instant { runs[last].to = instant }
    }
}

extension Register {
    /// When the session got its present status. It is not the anchor, since a reboot of the owner moves that.
    public var statusBeganAt: GroupTime {
        let lastRun = runs.last.map { $0.to ?? $0.from } ?? anchor.at
        switch status {
        case .running, .paused: return lastRun
        // The end of a run, or an intent that ended a pause.
        case .ready: return min(anchor.at, max(lastRun, last?.at ?? lastRun))
        // A paused or ready session is ended by an intent, without the end of a run.
        case .completed, .stopped: return max(lastRun, last?.at ?? lastRun)
        case .superseded: return supersededBy?.at ?? lastRun
        }
    }

    /// Returns the session ended by a later start. The anchor stays; its owner must have set it to that instant.
    public func superseded(by superseder: Superseder) -> Register {
        var register = self
        register.closeRun(at: superseder.at)
        register.status = .superseded
        register.supersededBy = superseder
        return register
    }

    /// Returns the session with its times moved by `shift`. After a takeover, the times of the former owner stay, since
    /// its clock may have been right. If they would then lie after the takeover, its clock was wrong too, and all move.
    func moved(by shift: Milliseconds) -> Register {
        func move(_ time: GroupTime) -> GroupTime { min(max(time + shift, 0), Limits.time.upperBound) }
        func isInherited(_ run: Run) -> Bool {
            // The run at the takeover was placed by the clock of the new owner, like all later ones.
            guard let takeover = continues?.at, let to = run.to else { return false }
            return to < takeover || to > anchor.at
        }
        let inherited = [startedAt] + runs.filter(isInherited).compactMap(\.to)
        let stays = continues.map { taken in inherited.allSatisfy { $0 <= move(taken.at) + Limits.stampLead } } ?? false
        var moved = self
        if !stays { moved.startedAt = move(startedAt) }
        moved.anchor.at = move(anchor.at)
        moved.continues?.at = move(continues?.at ?? 0)
        for (index, run) in runs.enumerated() where !stays || !isInherited(run) {
            moved.runs[index] = Run(phase: run.phase, from: move(run.from), to: run.to.map(move))
        }
        moved.separateOverlaps()
        return moved
    }
}
