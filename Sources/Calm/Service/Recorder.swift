// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Settings
import Subprocess
import SystemPackage

/// The source of a microphone's bytes.
enum Recorder: Hashable, Sendable, CustomStringConvertible {
    case standardInput
    /// A program and its arguments.
    case command([String])

    var description: String {
        switch self {
        case .standardInput: "standard input"
        case .command(let arguments): arguments.first == "/bin/sh" ? "the recorder" : arguments.first ?? ""
        }
    }

    /// Returns the recorder of the settings, else all installed ones, in the order in which they are tried.
    static func candidates(for settings: CalmSettings) throws -> [Recorder] {
        if settings.recorder == "-" { return [.standardInput] }
        if let command = settings.recorder { return [.command(["/bin/sh", "-c", command])] }
        let (rate, channels) = ("\(settings.format.rate)", "\(settings.format.channels)")
        let known = [
            ["pw-record", "--rate", rate, "--channels", channels, "--format", "s16", "-"],
            ["parec", "--rate", rate, "--channels", channels, "--format", "s16le", "--raw", "--latency-msec", "200"],
            ["arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", rate, "-c", channels],
        ]
        guard settings.format.encoding == .s16 else {
            throw SettingError("--format is for your own recorder; name it with --recorder")
        }
        let found = known.filter { Programs.find($0[0]) != nil }
        guard !found.isEmpty else {
            throw SettingError(
                "no recorder is installed: install pipewire-bin, pulseaudio-utils or alsa-utils, or give --recorder")
        }
        return found.map(Recorder.command)
    }

    /// Runs a recorder in its own process group, which is ended when `body` returns.
    /// - Returns: The value of `body`, and how the recorder ended; `nil` if it cannot be started.
    static func run<Value: Sendable>(
        _ arguments: [String], _ body: @Sendable (_ output: FileDescriptor) async -> Value
    ) async -> (value: Value, end: String)? {
        var options = PlatformOptions()
        options.processGroupID = 0
        guard let (output, input) = try? FileDescriptor.pipe() else { return nil }
        for end in [output, input] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        defer { try? output.close() }
        do {
            let result = try await Subprocess.run(
                arguments[0].contains("/") ? .path(FilePath(arguments[0])) : .name(arguments[0]),
                arguments: Arguments(Array(arguments.dropFirst())), environment: .withoutSettings,
                platformOptions: options,
                input: .none, output: .fileDescriptor(input, closeAfterSpawningProcess: true),
                error: .currentStandardError
            ) { execution in
                let value = await body(output)
                try? execution.send(signal: .terminate, toProcessGroup: true)
                return value
            }
            switch result.terminationStatus {
            case .exited(let code): return (result.closureResult, "exit code \(code)")
            case .signaled(let signal): return (result.closureResult, "signal \(signal)")
            }
        } catch {
            return nil
        }
    }
}
