// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The limit of open files of this process.
package enum OpenFiles {
    /// The wanted number of open files: enough for all pages and connections of a node. It is not the system's maximum:
    /// hooks inherit the limit, and some programs close every descriptor up to it when they start.
    private static let wanted: rlim_t = 4_096

    /// Raises the soft limit (1,024 under systemd) towards the hard limit, and returns it.
    package static func raiseLimit() -> Int {
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
