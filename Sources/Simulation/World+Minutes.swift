// SPDX-License-Identifier: Apache-2.0

import Session

/// The minutes of a session, counted a second time: by the machine's boot clock and by what its owner had said before,
/// not by the runs that the register holds.
extension World {
    /// What is known of a session's running time when its owner has written it down.
    struct Tally {
        var session: SessionID
        var epoch: Int
        var life: Int
        /// On the owner's boot clock.
        var boot: Int64
        /// Milliseconds that it had run.
        var total: Int64
        /// Milliseconds that it can go on running although nobody presses anything.
        var rest: Int64
    }

    mutating func witnessMinutes(of own: Register, isApproximate: Bool, at node: Int) {
        let boot = instant(node).boot
        let total = own.ran(until: boot)
        let before = witness.nodes[node].tally
        let life = machines[node].life
        // What a peer that lies says of runs in 1970 is taken over with its session, and cannot be moved to before that.
        guard own.runs.allSatisfy({ $0.from >= Limits.earliestStamp }) else { return }
        // One that was found as it once was says nothing yet of the phases since.
        let isPresent = own.status != .running || boot - own.anchor.boot <= own.left
        witness.nodes[node].tally =
            isPresent
            ? Tally(session: own.id, epoch: own.epoch, life: life, boot: boot, total: total, rest: own.rest(at: boot))
            : nil
        // What was taken over by date may lose what the clocks differed by, and what is taken over is cut; beyond the
        // lateness it waits.
        guard isPresent, let before, before.session == own.id, before.life == life, before.epoch == own.epoch,
            own.anchor.bootID == witness.nodes[node].bootID, own.continues == nil || !isApproximate,
            own.status != .superseded,
            boot - before.boot < Limits.lateness
        else { return }
        let expected = before.total + min(boot - before.boot, before.rest)
        if abs(total - expected) > 2 {
            fail(.minutesExact, "\(Names.node(node)) counts \(total) ms of \(own.id), which ran \(expected) ms")
        }
    }
}

extension Register {
    /// Milliseconds that it has run, by its runs.
    func ran(until boot: Int64) -> Int64 {
        runs.reduce(0) { sum, run in
            guard let end = run.to else {
                let open = anchor.at - run.from
                return sum + open + (status == .running ? min(boot - anchor.boot, left) : 0)
            }
            return sum + end - run.from
        }
    }

    /// Milliseconds of the current phase that were left at the anchor.
    fileprivate var left: Int64 { currentPhase.length - anchor.elapsed }

    fileprivate func rest(at boot: Int64) -> Int64 {
        guard status == .running else { return 0 }
        let later = autoAdvance ? plan[(phase + 1)...].reduce(0) { $0 + $1.length } : 0
        return max(left - (boot - anchor.boot), 0) + later
    }
}
