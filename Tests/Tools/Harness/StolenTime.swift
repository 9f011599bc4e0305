// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Processor time that the host of a virtual machine gave to other guests.
public enum StolenTime {
    /// Returns the steal time of all processors since the start, in ticks of 10 ms; 0 if unknown.
    public static func ticks() -> Int64 {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return 0 }
        // "cpu  user nice system idle iowait irq softirq steal guest guest_nice", as in proc(5).
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        return fields.count > 8 ? Int64(fields[8]) ?? 0 : 0
    }
}
