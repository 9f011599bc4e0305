// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Mosquitto
import Platform
import Session

/// Gives back the pages of program code that a process has read in. Only the start needs most of them. The kernel keeps
/// them in its cache, and maps again what the process uses.
package enum StartupPages {
    /// When the start is over: connections are made, and servers listen. An estimate.
    private static let startTime: Milliseconds = .seconds(3)

    /// Gives the pages back when the start is over. The caller must keep the timer.
    package static func release(on loop: EventLoop) -> LoopTimer {
        let timer = loop.makeTimer(release)
        timer.arm(after: startTime)
        return timer
    }

    /// Pages of code are never changed, so nothing is lost. If the kernel's list of mappings cannot be read, they stay.
    @Sendable private static func release() {
        guard let maps = try? Files.read("/proc/self/maps", limit: 1 << 20) else { return }
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/"), bounds.count == 2 else { continue }
            _ = madvise(UnsafeMutableRawPointer(bitPattern: bounds[0]), Int(bounds[1] - bounds[0]), MADV_DONTNEED)
        }
    }
}
