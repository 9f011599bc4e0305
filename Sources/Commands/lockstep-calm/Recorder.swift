// SPDX-License-Identifier: Apache-2.0

import Calm
import Commands
import Glibc
import Shell

/// Where sound comes from.
enum Recorder: Hashable, Sendable, CustomStringConvertible {
    case standardInput
    /// A program and its arguments.
    case command([String])

    var description: String {
        switch self {
        case .standardInput: "standard input"
        case .command(let words): words.first == "/bin/sh" ? "the recorder" : words.first ?? ""
        }
    }

    /// What was asked for, else all that is there.
    static func choose(_ settings: CalmSettings) throws -> [Recorder] {
        if settings.recorder == "-" { return [.standardInput] }
        if let command = settings.recorder { return [.command(["/bin/sh", "-c", command])] }
        let (rate, channels) = ("\(settings.format.rate)", "\(settings.format.channels)")
        let known = [
            ["pw-record", "--rate", rate, "--channels", channels, "--format", "s16", "-"],
            ["parec", "--rate", rate, "--channels", channels, "--format", "s16le", "--raw", "--latency-msec", "200"],
            ["arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", rate, "-c", channels],
        ]
        guard settings.format.encoding == .s16 else {
            throw UsageError("--format is for a recorder of your own; say which with --recorder")
        }
        let found = known.filter { isInstalled($0[0]) }
        guard !found.isEmpty else {
            throw UsageError(
                "there is no recorder here: install pipewire-bin, pulseaudio-utils or alsa-utils, or give --recorder")
        }
        return found.map(Recorder.command)
    }

    private static func isInstalled(_ program: String) -> Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Starts it, in a group of its own so that all that it has started can be ended with it.
    func start() -> (process: pid_t, output: Int32)? {
        guard case .command(let words) = self else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // Where the broker is, and who may speak to it, is none of a recorder's business.
        var variables = environmentWithoutSettings().map { strdup($0) } + [nil]
        defer { for variable in variables { free(variable) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &variables) == 0 else {
            close(ends[0])
            return nil
        }
        return (process, ends[0])
    }

    private func environmentWithoutSettings() -> [String] {
        var variables: [String] = []
        var pointer = environ
        while let variable = pointer.pointee {
            let text = String(cString: variable)
            if !text.hasPrefix("LOCKSTEP_") { variables.append(text) }
            pointer += 1
        }
        return variables
    }
}
