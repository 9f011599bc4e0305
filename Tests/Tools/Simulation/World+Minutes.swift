// SPDX-License-Identifier: Apache-2.0

import Session

/// An independent count of a session's minutes, by the boot clock and the earlier registers instead of the runs.
extension World {
    /// The running time of a session at a write of its owner.
    struct Tally {
        var own: Register
        var life: Int
        var boot: BootTime
        var total: Milliseconds
        /// The time that it can go on without a press.
        var rest: Milliseconds
    }

    mutating func witnessMinutes(of own: Register, isApproximate: Bool, at node: Int) {
        let boot = instant(node).boot
        let total = own.ran(until: boot)
        let before = witness.nodes[node].tally
        let life = machines[node].life
        // Runs in 1970 that the liar claims are taken over with its session, and cannot be moved further back.
        let isMovable = own.runs.allSatisfy { $0.from > 0 }
        // A recovered register may not include the latest phases yet.
        let isComplete = isMovable && (own.status != .running || boot - own.anchor.boot <= own.left)
        witness.nodes[node].tally =
            isComplete ? Tally(own: own, life: life, boot: boot, total: total, rest: own.rest(at: boot)) : nil
        // A takeover by date may lose the difference of the clocks, and cuts the former session.
        guard isComplete, let before, before.own.id == own.id, before.life == life, before.own.epoch == own.epoch,
            own.anchor.bootID == witness.nodes[node].bootID, own.continues == nil || !isApproximate,
            own.status != .superseded,
            boot - before.boot < Limits.lateness
        else { return }
        let isLeft = own.phase != before.own.phase || !own.status.isLive
        let isEarly = boot - before.own.anchor.boot < before.own.left
        if before.own.hasOvertime, before.own.mode == .countdown, before.own.status == .running, isLeft, isEarly,
            own.last == nil
        {
            fail(.overtimeHeld, "\(Names.node(node)) ends a phase of \(own.id) by itself")
        }
        let expected = before.total + min(boot - before.boot, before.rest)
        if (total - expected).magnitude > 2 {
            fail(.minutesExact, "\(Names.node(node)) counts \(total) ms of \(own.id), which ran \(expected) ms")
        }
    }
}

extension Register {
    /// The running time by its runs.
    func ran(until boot: BootTime) -> Milliseconds {
        runs.reduce(Milliseconds.zero) { sum, run in
            guard let end = run.to else {
                let open = anchor.at - run.from
                return sum + open + (status == .running ? min(boot - anchor.boot, left) : 0)
            }
            return sum + (end - run.from)
        }
    }

    /// The rest of the current phase at the anchor.
    fileprivate var left: Milliseconds {
        currentPhase.length + (hasOvertime && mode == .countdown ? Limits.overtime : 0) - anchor.elapsed - anchor.over
    }

    fileprivate func rest(at boot: BootTime) -> Milliseconds {
        guard status == .running else { return 0 }
        let later = autoAdvance && !hasOvertime ? plan[(phase + 1)...].reduce(Milliseconds.zero) { $0 + $1.length } : 0
        return max(left - (boot - anchor.boot), 0) + later
    }
}
