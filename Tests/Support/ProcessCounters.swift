// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a process holds, as the kernel counts it.
///
/// Tests that run side by side share one process: count in a process of its own.
public struct ProcessCounters: Sendable, Equatable {
    /// Threads.
    public let threads: Int
    /// Open descriptors.
    public let descriptors: Int
    /// Memory in RAM, in kB.
    public let residentKilobytes: Int

    /// Counts now, for another process where its id is given.
    public static func now(of pid: Int32? = nil) -> ProcessCounters {
        let folder = "/proc/\(pid.map { "\($0)" } ?? "self")"
        let files = FileManager.default
        let status = (try? String(contentsOfFile: "\(folder)/status", encoding: .utf8)) ?? ""
        let resident = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }?
            .split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
        return ProcessCounters(
            threads: (try? files.contentsOfDirectory(atPath: "\(folder)/task").count) ?? 0,
            descriptors: (try? files.contentsOfDirectory(atPath: "\(folder)/fd").count) ?? 0,
            residentKilobytes: resident ?? 0
        )
    }
}
