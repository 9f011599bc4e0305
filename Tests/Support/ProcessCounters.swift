// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Resources of a process, as counted by the kernel. Tests share one process, so a
/// test must count in another.
public struct ProcessCounters: Sendable, Equatable {
    public let threads: Int
    public let descriptors: Int
    public let residentKilobytes: Int

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
