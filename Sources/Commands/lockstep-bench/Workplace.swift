// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Shell

/// A directory and a broker for one measurement; both are gone when it ends.
enum Workplace {
    static let memory = "/dev/shm"

    /// Where measurements on a disk write.
    static var disk: String {
        let given = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return given.isEmpty ? "/var/tmp" : given
    }

    /// Runs `body` with a directory of its own below `parent`.
    static func withDirectory<Value: Sendable>(
        in parent: String, _ body: @Sendable (String) async throws -> Value
    ) async throws -> Value {
        var template = Array("\(parent)/lockstep-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BenchError("cannot write below \(parent)") }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { remove(path) }
        return try await body(path)
    }

    /// Runs `body` with a broker that keeps nothing: with a store it is the store that is measured.
    static func withBroker<Value: Sendable>(
        _ body: @escaping @Sendable (BrokerAddress, String) async throws -> Value
    ) async throws -> Value {
        allowDescriptors()
        return try await withDirectory(in: memory) { directory in
            try await PrivateBroker(directory: directory + "/broker", isPersistent: false).run {
                try await body($0, directory)
            }
        }
    }

    /// Runs `body` with loops, each on a thread of its own.
    static func withLoops<Value: Sendable>(
        _ count: Int, _ body: @Sendable ([EventLoop]) async throws -> Value
    ) async throws -> Value {
        let loops = try (0..<count).map { try EventLoop(name: "loop-\($0)") }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(loops))
        } catch {
            result = .failure(error)
        }
        for loop in loops { await loop.shutdown() }
        return try result.get()
    }

    /// Takes as many descriptors as the system allows, for this process and the broker: hundreds of clients need more
    /// than most begin with.
    private static func allowDescriptors() {
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(descriptors, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(descriptors, &limit)
    }

    private static func remove(_ path: String) {
        guard unlink(path) != 0, let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        closedir(directory)
        rmdir(path)
    }
}

/// Why nothing could be measured.
struct BenchError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
