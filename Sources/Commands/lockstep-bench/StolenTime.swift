// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What the host of a virtual machine takes of its processors, for other guests.
enum StolenTime {
    /// Of all processors since the machine started, in steps of 10 ms; always 0 where there is no host, or it does not say.
    static func ticks() -> Int64 {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return 0 }
        // "cpu  user nice system idle iowait irq softirq steal guest guest_nice", as in proc(5).
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        return fields.count > 8 ? Int64(fields[8]) ?? 0 : 0
    }
}
