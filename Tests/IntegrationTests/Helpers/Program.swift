// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// The programs under test: those in the folder `LOCKSTEP_TEST_PROGRAMS`, else those that are built with the tests.
enum Program {
    /// Returns the path of a program.
    static func path(_ name: String) -> String {
        if let folder = getenv("LOCKSTEP_TEST_PROGRAMS") { return "\(String(cString: folder))/\(name)" }
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer[..<max(0, length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/" + name
    }

    /// The environment of a person without settings, whose home is `home`.
    static func environment(home: String, _ more: [String: String] = [:]) -> [String: String] {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        // Tests take no suspend lock of this machine.
        let bus = "unix:path=/nonexistent/bus"
        return ["PATH": path, "HOME": home, "LANG": "C.UTF-8", "DBUS_SYSTEM_BUS_ADDRESS": bus]
            .merging(Preload.environment()) { $1 }.merging(more) { $1 }
    }
}

/// The result of a command.
struct CommandResult: Sendable, CustomStringConvertible {
    var code: Int32
    var output: String
    var errors: String

    /// The program with its arguments.
    var command = ""

    var json: JSON { (try? JSON(output)) ?? .null }
    var description: String { "\(command): exit code \(code)\n\(output)\(errors)" }

    /// Expects an exit code, and texts in the output and among the errors.
    @discardableResult
    func expect(
        _ code: Int32 = 0, says texts: String..., errors named: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> CommandResult {
        #expect(self.code == code, "\(self)", sourceLocation: sourceLocation)
        for text in texts { #expect(output.contains(text), "\(self)", sourceLocation: sourceLocation) }
        for text in named { #expect(errors.contains(text), "\(self)", sourceLocation: sourceLocation) }
        return self
    }
}

extension JSON {
    /// Expects fields with these values.
    func expect(_ fields: JSON, sourceLocation: SourceLocation = #_sourceLocation) {
        for name in fields.keys {
            #expect(self[name] == fields[name], "\(name) of \(self)", sourceLocation: sourceLocation)
        }
    }
}

/// One command line, from start to exit.
enum CommandLine {
    /// Runs `lockstep`, another program of this project, or a program by its path, and waits for its end.
    static func run(
        _ arguments: [String], program: String = "lockstep", environment: [String: String] = [:],
        within limit: Duration = .seconds(60)
    ) async throws -> CommandResult {
        let directory = try TemporaryDirectory()
        let child = try Spawn.start(
            [program.hasPrefix("/") ? program : Program.path(program)] + arguments,
            environment: Program.environment(home: directory.path, environment),
            output: directory.file("output"), errors: directory.file("errors"))
        let command = ([program] + arguments).joined(separator: " ")
        let code: Int32
        do {
            code = try await Spawn.end(of: child, "\(command) ends", within: limit)
        } catch {
            Spawn.end(child)
            throw error
        }
        return CommandResult(
            code: code, output: directory.read("output"), errors: directory.read("errors"), command: command)
    }
}
