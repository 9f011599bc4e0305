// SPDX-License-Identifier: Apache-2.0

public import Glibc
import Synchronization

/// Programs started by tests and benchmarks. None outlives this process: a shell waits for the end of a pipe that only
/// this process holds, and then kills the rest.
public enum Spawn {
    /// `POSIX_SPAWN_SETSID`, which Swift's Glibc module leaves out.
    private static let setSession: Int16 = 0x80
    /// The pipe of the shell.
    private static let watchdog = Mutex<Int32?>(nil)

    /// Finds a program in `PATH` and in the folders of system programs.
    public static func find(_ name: String) throws -> String {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let directories = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
        for directory in directories where access("\(directory)/\(name)", X_OK) == 0 {
            return "\(directory)/\(name)"
        }
        throw Failed("\(name) is not installed")
    }

    /// Starts a program with only this environment, if one is given. The caller reaps it with ``reap(_:)``.
    /// - Parameter errors: The file for its stderr; `nil` for the same one.
    public static func start(
        _ arguments: [String], environment: [String: String]? = nil, output: String, errors: String? = nil
    ) throws -> pid_t {
        let child = try spawn(arguments, environment: environment, input: nil, output: output, errors: errors)
        try watch("\(child)")
        return child
    }

    /// Runs a program to its end. Unless it ends with 0, the error has its output.
    public static func run(_ arguments: [String], in directory: TemporaryDirectory) async throws {
        let log = "\(arguments[0].split(separator: "/").last ?? "program").log"
        let child = try start(arguments, output: directory.file(log))
        guard try await end(of: child, "end of \(arguments[0])") == 0 else {
            throw Failed("\(arguments.joined(separator: " ")): \(directory.read(log))")
        }
    }

    /// Waits for the end of a program, and returns its exit code.
    @discardableResult
    public static func end(
        of child: pid_t, _ what: String = "the program ends", within limit: Duration = .seconds(60),
        file: String = #fileID, line: Int = #line
    ) async throws -> Int32 {
        var code: Int32?
        try await eventually(what, within: limit, file: file, line: line) {
            code = reap(child)
            return code != nil
        }
        return code ?? 0
    }

    /// Kills a program and waits for its end, also in synchronous code.
    public static func end(_ child: pid_t) {
        // The number of an ended process may belong to another one.
        guard reap(child) == nil else { return }
        kill(child, SIGKILL)
        _ = wait(for: child)
    }

    /// Stops a program, and returns when it has stopped.
    public static func freeze(_ child: pid_t) {
        guard kill(child, SIGSTOP) == 0 else { return }
        var state = siginfo_t()
        while waitid(P_PID, id_t(child), &state, WSTOPPED | WEXITED | WNOWAIT) == -1, errno == EINTR {}
    }

    /// Waits for the end of a program, also in synchronous code.
    public static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        try? watch("-\(child)")
        return status
    }

    /// Returns the exit code of an ended process as a shell reports it; `nil` while it runs. After a signal it is 128
    /// plus the signal's number.
    public static func reap(_ child: pid_t) -> Int32? {
        var status: Int32 = 0
        guard waitpid(child, &status, WNOHANG) != 0 else { return nil }
        // From now on its number may belong to another process.
        try? watch("-\(child)")
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    /// Tells the watchdog a child's number, or, with `-` before it, that the child has ended.
    private static func watch(_ line: String) throws {
        try watchdog.withLock { pipe in
            if pipe == nil { pipe = try startWatchdog() }
            let bytes = Array("\(line)\n".utf8)
            _ = write(pipe ?? -1, bytes, bytes.count)
        }
    }

    private static func startWatchdog() throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
            throw Failed("pipe: error \(errno)")
        }
        let script = """
            pids=' '
            while read -r p; do
                case $p in
                    -*) pids=$(echo "$pids" | sed "s/ ${p#-} / /") ;;
                    *) pids="$pids$p " ;;
                esac
            done
            [ "$pids" = ' ' ] || kill -9 $pids
            # The processes that they have started are in their sessions.
            for stat in /proc/[0-9]*/stat; do
                read -r pid name state parent group session rest <"$stat" || continue
                case "$pids" in *" $session "*) kill -9 "$pid" ;; esac
            done
            """
        _ = try spawn(["/bin/sh", "-c", script], input: ends[0], output: "/dev/null")
        close(ends[0])
        return ends[1]
    }

    private static func spawn(
        _ arguments: [String], environment: [String: String]? = nil, input: Int32?, output: String,
        errors: String? = nil
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        // Connections of other tests must not stay open in this child.
        for descriptor: Int32 in 3..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // In its own session, since the watchdog must survive the terminal's interrupt.
        var nothing = sigset_t()
        sigemptyset(&nothing)
        posix_spawnattr_setsigmask(&attributes, &nothing)
        posix_spawnattr_setflags(&attributes, setSession | Int16(POSIX_SPAWN_SETSIGMASK))

        var argv = arguments.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var variables = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { variables.forEach { free($0) } }
        var child: pid_t = 0
        let code = variables.withUnsafeMutableBufferPointer { own in
            posix_spawn(
                &child, arguments[0], &actions, &attributes, &argv, environment == nil ? environ : own.baseAddress)
        }
        guard code == 0 else { throw Failed("\(arguments[0]): error \(code)") }
        return child
    }
}
