// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How many files this process may have open.
public enum OpenFiles {
    /// Enough for a node with all its pages and connections. Not all that the system allows: hooks inherit the limit, and a
    /// program may close every descriptor up to it before it starts.
    private static let wanted: rlim_t = 4_096

    /// Raises the soft limit, of which systemd gives 1,024, towards the hard one.
    /// - Returns: The limit that holds from now on.
    public static func raiseLimit() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
