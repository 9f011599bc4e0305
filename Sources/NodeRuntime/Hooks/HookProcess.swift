// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Platform
import Subprocess
import SystemPackage

/// A program that runs at a session event.
struct HookProcess: Sendable {
    /// The end of a hook's process.
    struct Exit: Sendable {
        /// The first ``HookProcess/outputLimit`` bytes of its stdout and stderr together.
        var output: [UInt8]
        /// Whether it wrote more than that.
        var isCut: Bool
        /// The exit code, or minus the signal.
        var code: Int32
        /// Whether it was killed after ``HookProcess/timeout``.
        var isHung: Bool
    }

    /// The time for a hook, as Config/README.md states it: long enough for a request over a slow network.
    static let timeout = Duration.seconds(10)
    /// The time between SIGTERM and SIGKILL.
    static let grace = Duration.seconds(2)
    /// The maximum output that is logged, in bytes.
    static let outputLimit = 4_096

    /// A path, or a name that is searched in `PATH`.
    var program: String
    var arguments: [String]
    var environment: [String: String]
    var input: [UInt8]

    /// Runs the program; throws if it cannot be started. Cancelling the task ends it.
    func run() async throws -> Exit {
        var options = PlatformOptions()
        // Its own process group, so that its children can be ended with it.
        options.processGroupID = 0
        options.teardownSequence = [
            .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .milliseconds(300))
        ]
        let result = try await Subprocess.run(
            program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
            environment: .custom(
                Dictionary(uniqueKeysWithValues: environment.map { (.init(stringLiteral: $0), $1) })),
            platformOptions: options, input: .fileDescriptor(try inputPipe(), closeAfterSpawningProcess: true),
            output: .sequence, error: .combinedWithOutput
        ) { execution in
            async let collected = Self.collect(execution.standardOutput)
            let isHung = await Self.watch(execution)
            return (isHung: isHung, output: await collected)
        }
        let code: Int32 =
            switch result.terminationStatus {
            case .exited(let code): code
            case .signaled(let signal): -signal
            }
        let (isHung, output) = result.closureResult
        return Exit(output: output.bytes, isCut: output.isCut, code: code, isHung: isHung)
    }

    private static func collect(_ output: SubprocessOutputSequence) async -> (bytes: [UInt8], isCut: Bool) {
        var (bytes, isCut) = ([UInt8](), false)
        // A read error ends the output as well.
        do {
            for try await buffer in output {
                let room = outputLimit - bytes.count
                buffer.withUnsafeBytes { bytes.append(contentsOf: $0.prefix(room)) }
                if buffer.count > room { isCut = true }
            }
        } catch {}
        return (bytes, isCut)
    }

    /// Waits for the program's end, and returns whether it was killed after ``timeout``.
    private static func watch<Input, Output, Failure>(_ execution: Execution<Input, Output, Failure>) async -> Bool {
        let process = execution.processIdentifier.value
        if await ends(process, within: timeout) { return false }
        try? execution.send(signal: .terminate, toProcessGroup: true)
        // Its children may still run when the program has ended.
        try? await Task.sleep(for: grace)
        try? execution.send(signal: .kill, toProcessGroup: true)
        return true
    }

    /// Waits until a child ends or the task is cancelled; returns `false` after `limit`. The child is not reaped.
    private static func ends(_ process: pid_t, within limit: Duration) async -> Bool {
        var (waited, pause) = (Duration.zero, Duration.milliseconds(2))
        while waited < limit {
            if Programs.hasEnded(process) { return true }
            guard (try? await Task.sleep(for: pause)) != nil else { return true }
            waited += pause
            pause = min(pause * 2, .milliseconds(100))
        }
        return false
    }

    /// Returns a pipe that already holds all of the input, since the program may end at any time.
    private func inputPipe() throws(FileError) -> FileDescriptor {
        func failure(_ action: String) -> FileError { FileError(path: "the hook's input", action: action) }
        var ends: [CInt] = [-1, -1]
        // A hook that inherited the end for writing of another one would never read the end of its input.
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw failure("make") }
        defer { close(ends[1]) }
        // A pipe holds more than the largest session; if this one does not, that is an error instead of a wait.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        guard write(ends[1], input, input.count) == input.count else {
            defer { close(ends[0]) }
            throw failure("write")
        }
        return FileDescriptor(rawValue: ends[0])
    }
}
