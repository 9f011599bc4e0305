// SPDX-License-Identifier: Apache-2.0

import Session

/// Reconstructs past states of a register. All times are group times.
extension Register {
    /// Returns the register at the beginning of a phase; `nil` if the phase never ran.
    func entering(_ index: Int) -> Register? {
        guard let first = runs.firstIndex(where: { $0.phase == index }) else { return nil }
        var register = self
        register.phase = index
        register.status = .running
        register.supersededBy = nil
        register.runs = Array(runs[...first])
        register.runs[first].to = nil
        register.anchor.elapsed = 0
        register.anchor.over = 0
        register.moveAnchor(to: runs[first].from)
        return register
    }

    /// Returns the register as a later start ended it, or as its plan ended before.
    func ended(by superseder: Superseder) -> Register {
        var register = advanced(since: superseder.at - anchor.at)
        guard register.status.isLive else { return register }
        if register.status == .running {
            let passed = register.anchor.elapsed + max(0, superseder.at - register.anchor.at)
            register.anchor.elapsed = min(passed, register.currentPhase.length)
        }
        register.moveAnchor(to: max(superseder.at, register.anchor.at))
        return register.superseded(by: superseder)
    }

    private mutating func moveAnchor(to time: GroupTime) {
        anchor.boot += time - anchor.at
        anchor.at = time
    }
}
