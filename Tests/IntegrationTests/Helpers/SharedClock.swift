// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Synchronization

/// The wall clock and the boot clock of programs with its environment, which a test can advance.
///
/// A jump is like a suspend of all machines at once, so that a month passes in a minute.
final class SharedClock: Sendable {
    /// The C compiler for the preloaded library; Swift includes one.
    static let compiler = (try? Spawn.find("clang")) ?? (try? Spawn.find("cc"))

    private let directory: TemporaryDirectory
    /// The mapped file with the lead of the programs' clocks.
    private let lead: Mutex<Word>

    private struct Word: @unchecked Sendable {
        var milliseconds: UnsafeMutablePointer<Int64>
    }

    /// - Parameter start: The first reading of the wall clocks, in milliseconds since 1970.
    init(at start: Int64) async throws {
        guard let compiler = Self.compiler else { throw Failed("there is no C compiler") }
        directory = try TemporaryDirectory()
        let source = try directory.write(try Project.read("Tests/IntegrationTests/Preload/clocks.c"), to: "clocks.c")
        let library = directory.file("clocks.so")
        try await Spawn.run([compiler, "-shared", "-fPIC", "-O1", "-pthread", "-o", library, source], in: directory)
        lead = Mutex(Word(milliseconds: try Self.map(directory.file("lead"))))
        set(start)
    }

    deinit { lead.withLock { _ = munmap($0.milliseconds, 8) } }

    /// The environment of programs with this clock.
    var environment: [String: String] {
        ["LD_PRELOAD": directory.file("clocks.so"), "TEST_CLOCKS": directory.file("lead")]
    }

    /// The reading of the wall clocks, in milliseconds since 1970.
    var time: Int64 { now() + lead.withLock { $0.milliseconds.pointee } }

    /// Advances both clocks, as a suspend of all machines.
    func jump(by milliseconds: Int64) { lead.withLock { $0.milliseconds.pointee += milliseconds } }

    /// The environment of a program whose clocks start at `time`.
    func environment(at time: Int64) throws -> [String: String] {
        let word = try Self.map(directory.file("lead-at"))
        word.pointee = time - now()
        munmap(word, 8)
        return environment.merging(["TEST_CLOCKS": directory.file("lead-at")]) { $1 }
    }

    private func set(_ time: Int64) { lead.withLock { $0.milliseconds.pointee = time - now() } }

    /// Maps a file, so that a program never reads half of a number.
    private static func map(_ path: String) throws -> UnsafeMutablePointer<Int64> {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, ftruncate(file, 8) == 0, let bytes = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            bytes != MAP_FAILED
        else { throw Failed("\(path) cannot be mapped: error \(errno)") }
        return bytes.bindMemory(to: Int64.self, capacity: 1)
    }
}
