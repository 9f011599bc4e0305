// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support
import Testing

/// Signals, priorities and arguments of a process, which every program treats alike.
@Suite(.limitedConcurrency, .retriedAfterStall) struct ProcessTests {
    /// libmosquitto 2.1 writes to closed sockets, and OpenSSL too.
    @Test func noProgramDiesOfAWriteToAClosedConnection() async throws {
        let directory = try TemporaryDirectory()
        let desk = try NodeProcess("desk", directory: directory)
        try await desk.start()
        desk.freeze()
        let client = try Spawn.start(
            [Program.path("lockstep"), "status", "--socket", desk.socket.path],
            environment: Program.environment(home: directory.path), output: directory.file("status.log"))
        defer { Spawn.end(client) }
        try await eventually("the command handles the signal") { Self.handles(SIGPIPE, client) }
        kill(client, SIGPIPE)
        kill(try #require(desk.pid), SIGPIPE)
        desk.thaw()
        let code = try await Spawn.end(of: client, "the command ends")
        // No session; a signal would be 141.
        #expect(code == 5, "\(directory.read("status.log"))")
        #expect(desk.status.status == "idle")
    }

    /// Whether a process handles or ignores a signal, as its kernel says.
    private static func handles(_ number: Int32, _ process: pid_t) -> Bool {
        field("SigCgt", of: process).union(field("SigIgn", of: process)).contains(Int(number) - 1)
    }

    private static func field(_ name: String, of process: pid_t) -> Set<Int> {
        let lines =
            (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8))?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix(name + ":") }),
            let mask = line.split(separator: "\t").last.flatMap({ UInt64($0, radix: 16) })
        else { return [] }
        return Set((0..<64).filter { mask >> $0 & 1 == 1 })
    }

    /// libdispatch asks for a raised priority. The kernel refuses it without root, and libdispatch complains to the
    /// system log.
    @Test func noThreadHasARaisedPriority() async throws {
        let desk = try NodeProcess("desk")
        try await desk.start()
        // The 19th field is the nice value; the second one, in parentheses, is the name.
        let threads = "/proc/\(try #require(desk.pid))/task"
        let priorities = try FileManager.default.contentsOfDirectory(atPath: threads).map { thread in
            let fields = try String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
            return try #require(fields.split(separator: ") ").last).split(separator: " ")[16]
        }
        #expect(priorities.count > 1)
        #expect(priorities.allSatisfy { $0 == "0" }, "\(priorities)")
        try await desk.end()
    }

    /// libfaketime moves the environment. Programs that contain Swift's runtime, as the released ones do, then find no
    /// arguments beside it.
    @Test func argumentsAreFoundAlthoughALibraryHasMovedTheEnvironment() async throws {
        let compiler = try #require(try? Spawn.find("swiftc"), "swiftc")
        let library = try #require(Preload.moved, "a C compiler")
        let directory = try TemporaryDirectory()
        let main = try directory.write(
            "@main enum Main { static func main() { print(ProcessArguments.all) } }\n", to: "Main.swift")
        let program = directory.file("program")
        try await Spawn.run(
            [
                compiler, "-static-stdlib", "-parse-as-library", "-package-name", "test", "-o", program, main,
                Project.path("Sources/Settings/CommandLine/ProcessArguments.swift"),
            ], in: directory)
        let result = try await CommandLine.run(
            ["one", "", "two words", "ü"], program: program, environment: ["LD_PRELOAD": library])
        #expect(result.output == #"["one", "", "two words", "ü"]"# + "\n", "\(result)")
    }
}
