// SPDX-License-Identifier: Apache-2.0

package import Session
package import Settings
import Subprocess
import SystemPackage

/// Runs other programs to their end.
package enum Child {
    /// The exit code and the output of a program that has ended.
    package struct Output: Sendable {
        /// The exit code; 128 and more after a signal.
        package var code: Int32
        package var output: String
        package var errors: String
    }

    /// Runs a program: a path, or a name in `PATH`. After `seconds` it is killed, and its code is 124.
    /// - Parameter showsErrors: Whether its standard error is that of this process, and not collected.
    /// - Throws: ``ValueError`` if the program cannot be started.
    package static func run(
        _ program: String, _ arguments: [LineText], input: String = "", seconds: Int = 30, showsErrors: Bool = false
    ) async throws(ValueError) -> Output {
        do {
            return try await withThrowingTaskGroup(of: Output.self) { group in
                group.addTask {
                    try await start(program, arguments, input: input, showsErrors: showsErrors)
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(seconds))
                    return Output(code: 124, output: "", errors: "no answer in \(seconds) s")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? Output(code: 124, output: "", errors: "")
            }
        } catch {
            throw ValueError("\(program) cannot be run: \(error)")
        }
    }

    /// Runs `systemctl`, which may wait until a unit has stopped or started.
    package static func systemctl(_ arguments: [LineText]) async throws(ValueError) -> Output {
        try await run("systemctl", arguments, seconds: 120)
    }

    private static func start(
        _ program: String, _ arguments: [LineText], input: String, showsErrors: Bool
    ) async throws -> Output {
        let executable: Executable = program.contains("/") ? .path(FilePath(program)) : .name(program)
        let limit = 1 << 20
        if showsErrors {
            let run = try await Subprocess.run(
                executable, arguments: Arguments(arguments.map(\.description)), input: .string(input),
                output: .string(limit: limit),
                error: .currentStandardError)
            return Output(code: run.terminationStatus.code, output: run.standardOutput, errors: "")
        }
        let run = try await Subprocess.run(
            executable, arguments: Arguments(arguments.map(\.description)), input: .string(input),
            output: .string(limit: limit),
            error: .string(limit: limit))
        return Output(
            code: run.terminationStatus.code, output: run.standardOutput, errors: run.standardError)
    }
}

extension TerminationStatus {
    fileprivate var code: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}
