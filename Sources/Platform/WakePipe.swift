// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A pipe that never blocks: a write wakes the thread that polls the other end.
package struct WakePipe: ~Copyable {
    package let readEnd: Int32
    package let writeEnd: Int32

    package init() throws(FileError) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { throw FileError(path: "a pipe", action: "make") }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    package func wake() {
        var byte: UInt8 = 0
        _ = write(writeEnd, &byte, 1)
    }

    /// Removes and returns the bytes in the pipe, at most 256.
    package func drain() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(readEnd, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }
}
