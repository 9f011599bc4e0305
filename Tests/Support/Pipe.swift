// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A non-blocking pipe that child processes do not inherit.
public enum Pipe {
    /// Makes a pipe; the caller closes both ends.
    public static func make() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failed("pipe: error \(errno)") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }
}
