// SPDX-License-Identifier: Apache-2.0

import Glibc
import Subprocess
import SystemPackage

/// A program that is run at an event, from its start to its end.
struct HookProcess: Sendable {
    /// How a program ended.
    struct Outcome: Sendable {
        /// What it wrote to stdout and stderr, its first ``HookProcess/outputBytes``.
        var output: [UInt8]
        /// Whether it wrote more than that.
        var isCut: Bool
        /// The code, or the signal with a minus; 0 when all went well.
        var code: Int32
        /// Whether it had to be ended.
        var isHung: Bool
    }

    /// How long a program may take.
    static let patience = Duration.seconds(10)
    /// How long one that is asked to end may take for it.
    static let lastWords = Duration.seconds(2)
    /// Bytes of output that go to the log.
    static let outputBytes = 4_096

    /// A path, or a name that is looked for in `PATH`.
    var program: String
    var arguments: [String]
    var environment: [String: String]
    var input: [UInt8]

    /// Runs it. When the task is cancelled it is ended.
    /// - Throws: What kept it from being started.
    func run() async throws -> Outcome {
        var options = PlatformOptions()
        // A group of its own, so that what it has started can be ended with it.
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
        return Outcome(output: output.bytes, isCut: output.isCut, code: code, isHung: isHung)
    }

    /// Reads until the program ends, or closes its output.
    private static func collect(_ output: SubprocessOutputSequence) async -> Collected {
        var collected = Collected()
        // What cannot be read any more ends it as well.
        do { for try await buffer in output { collected.add(buffer) } } catch {}
        return collected
    }

    /// Waits for the program's end, and brings it about when it takes too long.
    private static func watch<Input, Output, Failure>(_ execution: Execution<Input, Output, Failure>) async -> Bool {
        let process = execution.processIdentifier.value
        if await ends(process, within: patience) { return false }
        try? execution.send(signal: .terminate, toProcessGroup: true)
        // The program may be gone, and what it has started not yet.
        try? await Task.sleep(for: lastWords, clock: .suspending)
        try? execution.send(signal: .kill, toProcessGroup: true)
        return true
    }

    /// Whether a child ends in time; also when nobody waits for it any more. It is left to be reaped.
    private static func ends(_ process: pid_t, within limit: Duration) async -> Bool {
        let clock = SuspendingClock()
        let deadline = clock.now + limit
        var pause = Duration.milliseconds(2)
        while clock.now < deadline {
            var info = siginfo_t()
            if waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0 {
                return true
            }
            guard (try? await clock.sleep(for: pause)) != nil else { return true }
            pause = min(pause * 2, .milliseconds(100))
        }
        return false
    }

    /// A pipe that holds all of the input already, so that nobody has to write while the program runs, or finds that it
    /// has ended without reading.
    private func inputPipe() throws(FileError) -> FileDescriptor {
        func failure(_ action: String) -> FileError { FileError(path: "the hook's input", action: action, code: errno) }
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure("make") }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A pipe holds more than the largest session; if this one should not, it is said and not waited for.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        guard write(ends[1], input, input.count) == input.count else {
            defer { close(ends[0]) }
            throw failure("write")
        }
        return FileDescriptor(rawValue: ends[0])
    }

    private struct Collected: Sendable {
        var bytes: [UInt8] = []
        var isCut = false

        mutating func add(_ buffer: SubprocessOutputSequence.Buffer) {
            let room = HookProcess.outputBytes - bytes.count
            buffer.withUnsafeBytes { bytes.append(contentsOf: $0.prefix(room)) }
            if buffer.count > room { isCut = true }
        }
    }
}
