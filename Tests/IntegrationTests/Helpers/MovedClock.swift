// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// The clocks that a node sees.
enum MovedClock: Sendable {
    case ofThisMachine
    /// The wall clock is ahead by these seconds; the boot clock is right.
    case wall(seconds: Int)
    /// The wall clock is ahead by the offset in this file, as `+7200s`, and steps when the file changes.
    case wallFile(String)
    /// A boot with another ID, these seconds longer ago. To the node it is another machine.
    case boot(seconds: Int)

    /// The path of libfaketime; `nil` if it is not installed.
    static let library: String? = {
        let top = "/usr/lib"
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: top)) ?? []
        return ([""] + folders.map { "/\($0)" }).map { "\(top)\($0)/faketime/libfaketime.so.1" }
            .first { access($0, R_OK) == 0 }
    }()

    static let requiresFaketime = ConditionTrait.requires("libfaketime", library != nil)

    /// Whether this machine allows private boot clocks, which need root and time namespaces.
    static let canMoveBoot: Bool = {
        guard getuid() == 0, let directory = try? TemporaryDirectory(), let unshare = try? Spawn.find("unshare"),
            let sh = try? Spawn.find("sh"),
            let child = try? Spawn.start(
                MovedClock.boot(seconds: 1_000).words(in: directory, unshare: unshare) + [sh, "-c", "exit 0"],
                output: directory.file("log"))
        else { return false }
        return Spawn.wait(for: child) == 0
    }()

    var environment: [String: String] {
        guard let library = Self.library else { return [:] }
        var environment = Preload.environment(with: library)
        environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
        switch self {
        case .wall(let seconds): environment["FAKETIME"] = Self.offset(seconds)
        case .wallFile(let path):
            environment["FAKETIME_TIMESTAMP_FILE"] = path
            environment["FAKETIME_NO_CACHE"] = "1"
        case .ofThisMachine, .boot: return [:]
        }
        return environment
    }

    /// An offset in the syntax of the library.
    static func offset(_ seconds: Int) -> String { seconds < 0 ? "\(seconds)s" : "+\(seconds)s" }

    /// The words before a program on its command line.
    func words(in directory: TemporaryDirectory) -> [String] {
        switch self {
        case .ofThisMachine: return []
        // The library moves the environment of the first program in memory. Swift would not find its arguments then.
        case .wall, .wallFile: return (try? Spawn.find("env")).map { [$0] } ?? []
        case .boot: return (try? Spawn.find("unshare")).map { words(in: directory, unshare: $0) } ?? []
        }
    }

    /// Removes shared memory that the library leaves after a kill.
    func clean(after process: pid_t) {
        switch self {
        case .wall, .wallFile: break
        case .ofThisMachine, .boot: return
        }
        for name in ["faketime_shm_\(process)", "sem.faketime_sem_\(process)"] { unlink("/dev/shm/\(name)") }
    }

    private func words(in directory: TemporaryDirectory, unshare: String) -> [String] {
        guard case .boot(let seconds) = self else { return [] }
        let id = "\(UUID().uuidString.lowercased())\n"
        guard let file = try? directory.write(id, to: "boot_id") else { return [] }
        return [
            unshare, "--time", "--mount", "--fork", "--kill-child", "--boottime", "\(seconds)", "/bin/sh", "-c",
            "mount --bind \"$0\" /proc/sys/kernel/random/boot_id && exec \"$@\"", file,
        ]
    }
}
