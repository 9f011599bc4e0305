// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The other programs of this machine, and their processes.
package enum Programs {
    /// Returns the path of a program in `PATH`, or else in other folders; `nil` if it is not installed.
    package static func find(_ name: String, in path: String? = nil, or others: [String] = []) -> String? {
        let path = path ?? getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return (path.split(separator: ":").map(String.init) + others).map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Returns whether a child has ended. It is not reaped.
    package static func hasEnded(_ process: CInt) -> Bool {
        var state = siginfo_t()
        return waitid(P_PID, id_t(process), &state, WEXITED | WNOHANG | WNOWAIT) != 0 || state.si_signo != 0
    }
}
