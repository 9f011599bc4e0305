// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support

/// The programs that were built together with these tests.
enum Program {
    /// They stand beside the program that runs the tests, in debug and release builds alike.
    static func path(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer[..<max(0, length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/" + name
    }

    /// The environment of a person who has set nothing, whose home is `home`.
    static func environment(home: String, _ more: [String: String] = [:]) -> [String: String] {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        // Tests take no lock on this machine's suspends.
        let bus = "unix:path=/nonexistent/bus"
        return ["PATH": path, "HOME": home, "LANG": "C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS": bus].merging(more) { $1 }
    }
}

/// What came of a command.
struct CommandResult: Sendable, CustomStringConvertible {
    var code: Int32
    var output: String
    var errors: String

    var json: JSON { (try? JSON(output)) ?? .null }
    var description: String { "exit code \(code)\n\(output)\(errors)" }
}

/// One command line, from start to exit.
enum CommandLine {
    /// Runs `lockstep`, or another of the programs, to its end.
    static func run(
        _ arguments: [String], program: String = "lockstep", environment: [String: String] = [:],
        within limit: Duration = .seconds(60)
    ) async throws -> CommandResult {
        let directory = try TemporaryDirectory()
        let child = try Spawn.start(
            [Program.path(program)] + arguments,
            environment: Program.environment(home: directory.path, environment),
            output: directory.file("output"), errors: directory.file("errors"))
        var status: Int32?
        do {
            try await eventually("end of \(program) \(arguments.joined(separator: " "))", within: limit) {
                status = Spawn.reap(child)
                return status != nil
            }
        } catch {
            Spawn.end(child)
            throw error
        }
        return CommandResult(
            code: exitCode(status ?? 0), output: directory.read("output"), errors: directory.read("errors"))
    }

    /// As a shell counts it: 128 and the signal's number for whom a signal has ended.
    static func exitCode(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
