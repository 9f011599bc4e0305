// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Joining
import Mosquitto
import NodeRuntime
import Platform
import Settings

/// A directory and a broker for one measurement; both are removed when it ends.
enum BenchDirectory {
    static let memory = "/dev/shm"

    /// The folder for measurements on a disk.
    static var disk: String {
        let given = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return given.isEmpty ? "/var/tmp" : given
    }

    /// Runs `body` with a directory of its own below `parent`.
    static func withDirectory<Value: Sendable>(
        in parent: String, _ body: @Sendable (String) async throws -> Value
    ) async throws -> Value {
        let path = try Files.makeTemporaryDirectory("\(parent)/lockstep-bench-")
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// Runs `body` with a broker without a store, which would be measured too.
    static func withBroker<Value: Sendable>(
        _ body: @escaping @Sendable (BrokerAddress, String) async throws -> Value
    ) async throws -> Value {
        // For hundreds of clients; the broker inherits the limit.
        _ = OpenFiles.raiseLimit()
        return try await withDirectory(in: memory) { directory in
            try await PrivateBroker(directory: directory + "/broker", isPersistent: false).run {
                try await body($0, directory)
            }
        }
    }

    /// Runs `body` with loops, each of which has its own thread.
    static func withLoops<Value: Sendable>(
        _ count: Int, _ body: @Sendable ([EventLoop]) async throws -> Value
    ) async throws -> Value {
        let loops = try (0..<count).map { try EventLoop(name: "loop-\($0)") }
        return try await finally({ for loop in loops { await loop.shutdown() } }) { try await body(loops) }
    }

    /// Runs `body` and then `end`, also after an error.
    static func finally<Value>(
        _ end: () async -> Void, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body()
            await end()
            return value
        } catch {
            await end()
            throw error
        }
    }
}
