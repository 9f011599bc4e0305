// SPDX-License-Identifier: Apache-2.0

import Session

/// When what a register shows has happened, and how it stood before. All times are group times.
extension Register {
    /// The register as it stood when a phase began; `nil` when that phase never ran.
    func entering(_ index: Int) -> Register? {
        guard let first = runs.firstIndex(where: { $0.phase == index }) else { return nil }
        var register = self
        register.phase = index
        register.status = .running
        register.supersededBy = nil
        register.runs = Array(runs[...first])
        register.runs[first].to = nil
        register.anchor.elapsed = 0
        register.moveAnchor(to: runs[first].from)
        return register
    }

    /// The register as it stood when another one ended it, if it did not come to its end before by time alone.
    func ended(by superseder: Superseder) -> Register {
        var register = advanced(since: superseder.at - anchor.at)
        guard register.status.isLive else { return register }
        if register.status == .running {
            let passed = register.anchor.elapsed + max(0, superseder.at - register.anchor.at)
            register.anchor.elapsed = min(passed, register.currentPhase.length)
            if let last = register.runs.indices.last, register.runs[last].to == nil {
                register.runs[last].to = max(superseder.at, register.runs[last].from)
            }
        }
        register.moveAnchor(to: max(superseder.at, register.anchor.at))
        register.status = .superseded
        register.supersededBy = superseder
        return register
    }

    /// When the session came to stand as it does. The anchor would do, but that a reboot of the owner moves it.
    var statusBeganAt: Int64 {
        let lastRun = runs.last.map { $0.to ?? $0.from } ?? anchor.at
        switch status {
        case .running, .paused: return lastRun
        case .ready: return anchor.at
        // What was paused or waited is ended by an intent, and no run ends with it.
        case .completed, .stopped: return max(lastRun, last?.at ?? lastRun)
        case .superseded: return supersededBy?.at ?? lastRun
        }
    }

    private mutating func moveAnchor(to time: Int64) {
        anchor.boot += time - anchor.at
        anchor.at = time
    }
}
