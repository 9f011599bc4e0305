// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Harness
import Settings

/// The resources that another process uses.
enum ProcessUse {
    /// Nanoseconds that the threads of a process have run.
    static func cpu(_ process: pid_t) throws -> Int64 {
        let directory = "/proc/\(process)/task"
        guard let threads = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw Failed("the program has ended")
        }
        return threads.reduce(0) { sum, thread in
            let text = try? String(contentsOfFile: "\(directory)/\(thread)/schedstat", encoding: .utf8)
            return sum + (text?.split(separator: " ").first.flatMap { Int64($0) } ?? 0)
        }
    }

    /// Percent of a core that a process takes while `seconds` pass.
    static func share(of process: pid_t, seconds: Int, saying what: String) async throws -> Double {
        let (used, start) = (try cpu(process), Samples.now())
        try await pass(seconds, saying: what)
        return Double(try cpu(process) - used) / Double(Samples.now() - start) * 100
    }

    /// Waits, and shows how much of the time has passed.
    static func pass(_ seconds: Int, saying what: String) async throws {
        for passed in 0..<seconds {
            ProgressLine.show("\(what): \(passed) of \(seconds) s")
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// The resident memory of a process, in megabytes of 1,000,000 bytes.
    static func resident(_ process: pid_t) throws -> Double {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
        else {
            throw Failed("the program has ended")
        }
        return kilobytes * 1_024 / 1_000_000
    }
}
