// SPDX-License-Identifier: Apache-2.0

extension Register {
    /// When the phase that runs ends, on the owner's boot clock.
    var boundary: Int64? {
        status == .running ? anchor.boot + currentPhase.length - anchor.elapsed : nil
    }

    /// What time alone has made of the session, `since` milliseconds after its anchor.
    ///
    /// A countdown ends at its boundary; the next phase starts exactly there when ``autoAdvance`` is set, otherwise it
    /// waits in `ready`. A count-up session ends at its cap. Displays go by this alone, so they agree although nothing
    /// is sent and however long the owner is gone: for one register, what they show never goes back.
    /// - Parameters:
    ///   - since: Milliseconds since the anchor.
    ///   - lateness: How late an expiry may be noticed and still start the next phase; `nil` for however late. The
    ///     owner sets ``Limits/lateness``: what nobody was there for waits in `ready`, as a new revision.
    /// - Returns: The same register before the first boundary; after one, the register anchored at the last boundary
    ///   crossed, with its runs cut there. Revision and stamp are untouched.
    public func advanced(since: Int64, lateness: Int64? = nil) -> Register {
        guard status == .running, since >= currentPhase.length - anchor.elapsed else { return self }
        var register = self
        var since = since
        while register.status == .running {
            let left = register.currentPhase.length - register.anchor.elapsed
            guard since >= left else { break }
            since -= left
            register.anchor.at += left
            register.anchor.boot += left
            register.anchor.elapsed = register.currentPhase.length
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
        anchor.elapsed = 0
        if autoAdvance, startsNext {
            openRun()
        } else {
            status = .ready
        }
    }

    /// Milliseconds of the current phase that have passed `since` milliseconds after the anchor: never more than its
    /// length, and never less than at the anchor, however the clocks stand.
    func elapsed(since: Int64) -> Int64 {
        guard status == .running, since > 0 else { return anchor.elapsed }
        return min(anchor.elapsed + since, currentPhase.length)
    }

    /// The register re-anchored at an instant of its owner, with the current phase's time brought up to it.
    ///
    /// The open run keeps its length, which the boot clock measured, and moves with group time when that was stepped.
    func anchored(at groupTime: Int64, bound: Int64?, boot: Int64, bootID: BootID, since: Int64) -> Register {
        var register = self
        register.anchor.elapsed = elapsed(since: since)
        if let open = runs.last, open.to == nil {
            let length = anchor.at - open.from + register.anchor.elapsed - anchor.elapsed
            register.runs[runs.count - 1].from = max(groupTime - length, 0)
            register.partRuns()
        }
        register.anchor.at = groupTime
        register.anchor.bound = bound
        register.anchor.boot = boot
        register.anchor.bootID = bootID
        return register
    }

    /// Begins a run of the current phase at the anchor.
    ///
    /// Beyond ``Limits/runs`` the two oldest neighbours of one phase become one of their total length: the sum stays
    /// exact to the millisecond, only the pause between them moves behind them.
    mutating func openRun() {
        runs.append(Run(phase: phase, from: anchor.at))
        partRuns()
        if runs.count > Limits.runs { mergeOldestRuns() }
    }

    /// Ends the open run.
    mutating func closeRun(at: Int64) {
        guard let open = runs.last, open.to == nil else { return }
        runs[runs.count - 1].to = max(at, open.from)
    }

    /// Moves earlier runs back as far as the last one began before their end, which it can where group time was set back
    /// meanwhile. Each keeps its length, which the boot clock measured, so that no minute counts twice and none is lost.
    mutating func partRuns() {
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
    /// Takes back the time after `instant`, which a continuation of this session counts as its own.
    mutating func cutRuns(at instant: Int64) {
        runs.removeAll { $0.from >= instant }
        if let last = runs.indices.last, runs[last].to ?? instant >= instant { runs[last].to = instant }
    }
}
