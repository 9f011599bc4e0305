// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What another process takes of the machine.
enum ProcessUse {
    /// Nanoseconds that the threads of a process have run.
    static func cpu(_ process: pid_t) throws -> Int64 {
        let directory = "/proc/\(process)/task"
        guard let threads = opendir(directory) else { throw BenchError("lockstep-node has ended") }
        defer { closedir(threads) }
        var sum: Int64 = 0
        while let entry = readdir(threads) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.first != ".", let text = try? contents("\(directory)/\(name)/schedstat") else { continue }
            sum += text.split(separator: " ").first.flatMap { Int64($0) } ?? 0
        }
        return sum
    }

    /// Percent of a core that a process takes while `seconds` pass.
    static func share(of process: pid_t, seconds: Int, saying what: String) async throws -> Double {
        let (used, start) = (try cpu(process), Samples.now())
        for passed in 0..<seconds {
            Progress.say("\(what): \(passed) of \(seconds) s")
            try await Task.sleep(for: .seconds(1))
        }
        return Double(try cpu(process) - used) / Double(Samples.now() - start) * 100
    }

    /// Its resident memory in megabytes.
    static func resident(_ process: pid_t) throws -> Double {
        let line = try contents("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
            Double($0)
        }
        guard let kilobytes else { throw BenchError("lockstep-node has ended") }
        return kilobytes * 1_024 / 1_000_000
    }

    private static func contents(_ path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw BenchError("cannot read \(path)") }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }
}
